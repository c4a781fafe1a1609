extension PageFile {
    /// Keeps messages that are on the page as they are, asks for older ones as somebody scrolls, and
    /// marks them where they stand. It comes after the script of all pages.
    static let inboxScriptText = #"""
        "use strict";
        // The newest messages, and those below that were asked for.
        const list = element("list"), recent = element("messages"), more = element("more");
        const at = part => Number(part.dataset.at);
        // As many as one request may name, and pages that are read again at once.
        const atOnce = 50, mostPages = 10;

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
          for (const button of copy.querySelectorAll(".copy")) button.remove();
          return copy.outerHTML;
        }

        // Parts that say what they said stay as they are, with their pictures, the focus, and what is
        // selected in them; also one in which somebody has something open. Returns what is left over.
        function merge(section, parts) {
          const known = new Map([...section.children].map(part => [part.id, part]));
          const isSame = (old, part) => said(old) === said(part) || old.querySelector("details[open]");
          let next = section.firstElementChild;
          for (const part of parts) {
            const old = part.id && known.get(part.id);
            if (!old || !isSame(old, part)) {
              section.insertBefore(part, next);
              continue;
            }
            while (next && next !== old) {
              const gone = next;
              next = next.nextElementSibling;
              gone.remove();
            }
            next = old.nextElementSibling;
          }
          const rest = [];
          for (; next; next = next.nextElementSibling) rest.push(next);
          for (const part of rest) part.remove();
          return rest;
        }

        function renew(section, html) {
          const parts = [...parsed(html).children];
          if (section !== recent) return void merge(section, parts);
          const news = new Set(parts.map(part => part.id));
          // So much is new that nobody knows what is between it and what is below.
          if (![...recent.children].some(part => part.dataset.at && news.has(part.id))) more.replaceChildren();
          const isFollowed = more.firstElementChild !== null;
          for (const part of [...more.children]) if (news.has(part.id) && part.dataset.at) part.remove();
          const oldest = Math.min(...parts.filter(part => part.dataset.at).map(at));
          const rest = merge(recent, parts.filter(part => !isFollowed || part.id !== "older"));
          // What the newest have pushed out is not gone.
          if (isFollowed) more.prepend(...rest.filter(part => at(part) < oldest));
          decorate();
        }

        // The server's page before a message, or before the messages that a link names.
        async function page(query) {
          const state = await ask("/ui/messages" + query);
          if (state) element("offline").hidden = true;
          return state && parsed(state.sections.messages);
        }

        function before(position) {
          const query = new URLSearchParams(location.search);
          query.delete("done");
          query.set("before", position);
          return "?" + query;
        }

        // Whoever scrolls down gets what is older.
        const nearness = new IntersectionObserver(entries => {
          if (entries.some(entry => entry.isIntersecting)) readOn();
        }, {rootMargin: "800px"});
        let isReading = false;

        function decorate() {
          nearness.disconnect();
          const end = list.querySelector("#older");
          if (end) nearness.observe(end);
          localize(list);
          if (!navigator.clipboard) return;
          for (const actions of list.querySelectorAll("article > .actions:not(:has(.copy))")) {
            const button = document.createElement("button"), of = document.createElement("span");
            of.className = "unseen";
            of.textContent = ": " + actions.parentElement.querySelector("h2").textContent;
            [button.type, button.className] = ["button", "copy"];
            button.append(list.dataset.copy, of);
            actions.querySelector("details").before(button);
          }
        }

        async function readOn() {
          const end = list.querySelector("#older");
          if (isReading || !end) return;
          isReading = true;
          try {
            const content = await page(end.querySelector("a").search);
            // What is above may have changed in the meantime.
            if (content && end.isConnected) {
              const hadFocus = end.contains(document.activeElement);
              content.querySelector("#all")?.remove();
              end.remove();
              more.append(content);
              if (hadFocus) list.querySelector("#older a, article:last-of-type button")?.focus();
            }
            decorate();
          } catch {
            element("offline").hidden = false;
            setTimeout(decorate, interval);
          } finally {
            isReading = false;
          }
        }

        // What is below may have been marked or deleted elsewhere.
        async function renewMore() {
          const last = [...recent.children].findLast(part => part.dataset.at);
          const wanted = more.querySelectorAll("article").length;
          if (!last || !wanted || isReading) return;
          const parts = [];
          for (let round = 0, end = at(last); round < mostPages && parts.length < wanted; round += 1) {
            const content = await page(before(end));
            if (!content) return;
            const articles = [...content.querySelectorAll("article")];
            parts.push(...articles);
            const older = content.querySelector("#older");
            if (!older) break;
            if (parts.length >= wanted || round === mostPages - 1) parts.push(older);
            end = articles.length ? at(articles.at(-1)) : 0;
          }
          merge(more, parts);
          decorate();
        }

        // A message as it is now, or not at all.
        async function refresh(article) {
          const content = await page(before(at(article) + 1));
          if (!content || !article.isConnected) return;
          const fresh = content.querySelector("#" + article.id);
          if (fresh) article.replaceWith(fresh); else article.remove();
          decorate();
        }

        function send(name, value) {
          const body = new URLSearchParams(new FormData(list));
          body.set(name, value);
          return fetch(list.getAttribute("action"), {method: "POST", body, redirect: "manual"});
        }

        async function mark(button) {
          const article = button.closest("article"), isDeleted = button.name === "delete";
          const beside = article?.nextElementSibling ?? article?.previousElementSibling;
          const focus = isDeleted ? beside?.querySelector("[id^=mark-]")?.id : button.id;
          if (button.closest("details")) button.closest("details").open = false;
          const values = article ? [button.value] :
            [...list.querySelectorAll("article [name=read]")].map(button => button.value);
          while (values.length) {
            const answer = await send(button.name, values.splice(0, atOnce).join(","));
            // The page that says why, as without a script.
            if (answer.type !== "opaqueredirect") return submit(button);
          }
          if (article && (!live || more.contains(article))) await refresh(article);
          if (live) await look(!article, true); else if (!article) location.reload();
          refocus(focus);
        }

        function submit(button) {
          const field = document.createElement("input");
          [field.type, field.name, field.value] = ["hidden", button.name, button.value];
          list.append(field);
          list.submit();
        }

        let isLeaving = false;
        list.addEventListener("submit", event => {
          // What a request came to is said on the page that follows.
          if (event.submitter.name === "press") {
            if (isLeaving) event.preventDefault();
            isLeaving = true;
            return;
          }
          event.preventDefault();
          mark(event.submitter).catch(() => element("offline").hidden = false);
        });
        addEventListener("pageshow", () => isLeaving = false);

        document.addEventListener("click", async event => {
          const button = event.target.closest(".copy");
          if (!button) return;
          const article = button.closest("article");
          const text = [".ways code", ".text", "h2"]
            .map(name => article.querySelector(name)).find(part => part);
          await navigator.clipboard.writeText(text.innerText);
          button.firstChild.data = list.dataset.copied;
          setTimeout(() => button.firstChild.data = list.dataset.copy, interval);
        });

        decorate();

        """#
}
