extension PageFile {
    /// Keeps messages that are on the page as they are, asks for older ones as somebody scrolls, and
    /// marks them where they stand. It comes after the script of all pages.
    static let inboxScriptText = #"""
        "use strict";
        const list = element("list"), more = element("more");
        const at = part => Number(part.dataset.at);

        function parsed(html) {
          const template = document.createElement("template");
          template.innerHTML = html;
          return template.content;
        }

        // What a part says, without what the script has changed in it.
        function said(part) {
          const copy = part.cloneNode(true);
          for (const time of copy.querySelectorAll("time")) time.textContent = time.title = "";
          for (const picture of copy.querySelectorAll("img")) picture.hidden = false;
          return copy.outerHTML;
        }

        // Parts with names that say what they said stay as they are, with their pictures, the
        // focus, and what is selected in them.
        function renew(section, html) {
          const content = parsed(html);
          // What is older than these is below already.
          if (more.firstChild) content.querySelector("#older")?.remove();
          let next = section.firstElementChild;
          const removeUpTo = end => {
            while (next && next !== end) {
              const gone = next;
              next = next.nextElementSibling;
              gone.remove();
            }
          };
          const parts = [...content.children];
          const oldest = Math.min(...parts.filter(part => part.dataset.at).map(at));
          const isPushedOut = part => Number.isFinite(oldest) && at(part) < oldest;
          for (const part of parts) {
            const old = part.id && element(part.id);
            if (old && said(old) === said(part)) {
              removeUpTo(old);
              if (next) next = next.nextElementSibling; else section.append(old);
            } else {
              section.insertBefore(part, next);
            }
          }
          // What the newest have pushed out is not gone.
          for (let end = section.lastElementChild; more.firstChild && end && isPushedOut(end);
            end = section.lastElementChild) {
            if (next === end) next = null;
            more.prepend(end);
          }
          removeUpTo(null);
          watchEnd();
        }

        // Whoever scrolls down gets what is older.
        const nearness = new IntersectionObserver(entries => {
          if (entries.some(entry => entry.isIntersecting)) readOn();
        }, {rootMargin: "800px"});
        let isReading = false;

        function watchEnd() {
          nearness.disconnect();
          const end = list.querySelector("#older");
          if (end) nearness.observe(end);
        }

        async function readOn() {
          const end = list.querySelector("#older");
          if (isReading || !end) return;
          isReading = true;
          try {
            const state = await ask("/ui/messages" + end.querySelector("a").search);
            if (!state) return;
            const content = parsed(state.sections.messages);
            content.querySelector("#all")?.remove();
            end.remove();
            more.append(content);
            localize(more);
            watchEnd();
          } catch {
            element("offline").hidden = false;
            setTimeout(watchEnd, interval);
          } finally {
            isReading = false;
          }
        }

        // A message as it is now, or not at all.
        async function refresh(article) {
          const state = await ask("/ui/messages?before=" + (at(article) + 1));
          if (!state) return;
          const fresh = parsed(state.sections.messages).querySelector("#" + article.id);
          if (fresh) article.replaceWith(fresh); else article.remove();
          localize(list);
        }

        async function mark(button) {
          const article = button.closest("article"), isDeleted = button.name === "delete";
          const beside = article?.nextElementSibling ?? article?.previousElementSibling;
          const focus = isDeleted ? beside?.querySelector("button")?.id : button.id;
          if (button.closest("details")) button.closest("details").open = false;
          const body = new URLSearchParams(new FormData(list, button));
          const answer = await fetch(
            list.getAttribute("action"), {method: "POST", body, redirect: "manual"});
          // The page that says why, as without a script.
          if (answer.type !== "opaqueredirect") return send(button);
          if (article) await refresh(article); else if (!live) location.reload();
          if (live) await look();
          if (focus) element(focus)?.focus();
        }

        function send(button) {
          const field = document.createElement("input");
          [field.type, field.name, field.value] = ["hidden", button.name, button.value];
          list.append(field);
          list.submit();
        }

        list.addEventListener("submit", event => {
          // What a request came to is said on the page that follows.
          if (event.submitter.name === "press") return;
          event.preventDefault();
          mark(event.submitter).catch(() => element("offline").hidden = false);
        });

        if (navigator.clipboard) document.documentElement.classList.add("can-copy");
        document.addEventListener("click", async event => {
          const button = event.target.closest(".copy");
          if (!button) return;
          const article = button.closest("article");
          const text = [".ways code", ".text", "h2"]
            .map(name => article.querySelector(name)).find(part => part);
          await navigator.clipboard.writeText(text.innerText);
          button.classList.add("done");
        });

        watchEnd();

        """#
}
