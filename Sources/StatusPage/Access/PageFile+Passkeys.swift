extension PageFile {
    /// Asks the browser for a passkey, and sends what it answers with a form of the page.
    static let passkeyScriptText = #"""
        "use strict";
        const bytes = text => Uint8Array.from(
          atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
        const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
          .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

        async function challenge(address, form) {
          const answer = await fetch(address, {method: "POST", body: new URLSearchParams(
            [...new FormData(form)].filter(([name]) => name === "csrf"))});
          if (!answer.ok) throw new Error(answer.status);
          return answer.json();
        }

        function submit(form, credential, data) {
          const {response} = credential;
          form.elements.id.value = text(credential.rawId);
          form.elements.data.value = text(data);
          form.elements.client.value = text(response.clientDataJSON);
          form.elements.signature.value = response.signature ? text(response.signature) : "";
          form.submit();
        }

        async function use(form) {
          const asked = await challenge("/ui/login/challenge", form);
          const credential = await navigator.credentials.get({publicKey: {
            challenge: bytes(asked.challenge), rpId: asked.host, userVerification: "required"}});
          submit(form, credential, credential.response.authenticatorData);
        }

        async function make(form) {
          const asked = await challenge("/ui/passkeys/challenge", form);
          const credential = await navigator.credentials.create({publicKey: {
            challenge: bytes(asked.challenge), rp: {id: asked.host, name: "Bellwire"},
            user: {id: bytes(asked.user), name: asked.name, displayName: asked.name},
            pubKeyCredParams: [{type: "public-key", alg: -7}],
            excludeCredentials: asked.known.map(id => ({type: "public-key", id: bytes(id)})),
            authenticatorSelection: {residentKey: "required", userVerification: "required"}}});
          submit(form, credential, credential.response.getAuthenticatorData());
        }

        for (const [id, action] of [["use-passkey", use], ["add-passkey", make]]) {
          const form = document.getElementById(id);
          if (!form || !window.PublicKeyCredential) continue;
          form.hidden = false;
          form.addEventListener("submit", event => {
            event.preventDefault();
            // Whoever closes the browser's question has said no.
            action(form).catch(error => {
              if (error.name !== "NotAllowedError" && error.name !== "AbortError") throw error;
            });
          });
        }

        """#
}
