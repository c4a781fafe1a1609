/// The files that the pages load.
package enum PageFile: String, CaseIterable, Sendable {
    case script = "/ui/script.js"
    case style = "/ui/style.css"
    case icon = "/ui/icon.svg"

    package var type: StaticString {
        switch self {
        case .script: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    package var text: String {
        switch self {
        case .script: Self.scriptText
        case .style: Self.styleText
        case .icon: Self.iconText
        }
    }

    private static let iconText = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
        <path fill="#1d5fa8" d="M16 2a3 3 0 0 0-3 3v1a9 9 0 0 0-6 8.500V21l-3 4v1h24v-1l-3-4v-6.500\
        A9 9 0 0 0 19 6V5a3 3 0 0 0-3-3zM12 28a4 4 0 0 0 8 0z"/></svg>

        """
}

extension PageFile {
    /// Keeps a page up to date while somebody looks at it. Without it, everything is there as well,
    /// as of the moment at which the page was loaded.
    static let scriptText = #"""
        "use strict";
        const interval = 2000, width = 300, height = 80, kept = 150;
        const element = id => document.getElementById(id);

        // The code of a login link stands after the # sign, which no server gets to see.
        function signIn() {
          const code = element("code");
          if (!code || location.hash.length < 2) return;
          code.value = location.hash.slice(1);
          history.replaceState(null, "", location.pathname);
          code.form.querySelector("button").focus();
        }

        const language = document.documentElement.lang;
        const distance = new Intl.RelativeTimeFormat(language, {style: "short"});

        // The server's words, which its page has without a script, and the visitor's time zone.
        function localize(root) {
          for (const time of root.querySelectorAll("time")) {
            const moment = new Date(time.dateTime);
            time.title = moment.toLocaleString(
              language, {dateStyle: "medium", timeStyle: "medium"});
            const minutes = Math.trunc((moment - Date.now()) / 60_000), count = Math.abs(minutes);
            if (count < 1) continue;
            const [size, unit] = count < 60 ? [1, "minute"] : count < 2_880 ? [60, "hour"] :
              [1_440, "day"];
            time.textContent = distance.format(Math.trunc(minutes / size), unit);
          }
        }

        // What each section was made of, as the browser writes it.
        const shown = new Map();

        function written(html) {
          const template = document.createElement("template");
          template.innerHTML = html;
          return template.innerHTML;
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
          const template = document.createElement("template");
          template.innerHTML = html;
          let next = section.firstElementChild;
          const removeUpTo = end => {
            while (next && next !== end) {
              const gone = next;
              next = next.nextElementSibling;
              gone.remove();
            }
          };
          for (const part of [...template.content.children]) {
            const old = part.id && element(part.id);
            if (old && said(old) === said(part)) {
              removeUpTo(old);
              if (next) next = next.nextElementSibling; else section.append(old);
            } else {
              section.insertBefore(part, next);
            }
          }
          removeUpTo(null);
        }

        // A section is left alone while somebody has something open there.
        function replace(section, html) {
          const text = written(html);
          if (shown.get(section.id) === text || section.querySelector("details[open]")) return;
          const focus = section.contains(document.activeElement) ? document.activeElement.id : "";
          shown.set(section.id, text);
          if (section.querySelector("article")) renew(section, html);
          else section.innerHTML = html;
          localize(section);
          if (focus) element(focus)?.focus();
        }

        function plot(name, values, text) {
          element(name + "-now").textContent = text;
          const highest = Math.max(...values.filter(value => value !== null), 1e-9);
          const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
          const points = values.map((value, index) => value === null ? null :
            `${width - (values.length - 1 - index) * width / (kept - 1)},` +
            `${height - 4 - value / highest * (height - 8)}`);
          line.setAttribute("points", points.filter(point => point !== null).join(" "));
          element(name).replaceChildren(line);
        }

        // The middle of what was measured since the last time, in milliseconds.
        function median(bounds, counts, last) {
          const news = counts.map((count, index) => count - last[index]);
          const total = news.at(-1);
          if (total <= 0) return null;
          const index = news.findIndex(count => count * 2 >= total);
          return (bounds[Math.min(index, bounds.length - 1)]) * 1000;
        }

        const {live} = document.body.dataset;
        // After so many answers the whole is asked for once: what was erased or has expired makes
        // nothing newer.
        const whole = 30;
        let last = null, newest = document.body.dataset.last, looks = 0;
        const rates = [], latencies = [];

        function measure(state) {
          if (!state.counts) return;
          const time = performance.now();
          if (last) {
            const seconds = (time - last.time) / 1000;
            rates.push(Math.max(0, state.counts.accepted - last.accepted) / seconds);
            latencies.push(
              median(state.durations.bounds, state.durations.counts, last.durations));
            if (rates.length > kept) { rates.shift(); latencies.shift(); }
            document.querySelector(".plots").hidden = false;
            plot("rate", rates, rates.at(-1).toFixed(1));
            const latency = latencies.findLast(value => value !== null);
            plot("latency", latencies, latency === undefined ? "–" : "≤ " + latency);
          }
          last = {time, accepted: state.counts.accepted, durations: state.durations.counts};
        }

        async function look() {
          if (document.hidden) return;
          try {
            const sign = live.includes("?") ? "&" : "?";
            looks += 1;
            const isKnown = newest !== undefined && looks % whole !== 0;
            const place = live + (isKnown ? sign + "last=" + newest : "");
            const answer = await fetch(
              place, {credentials: "same-origin", cache: "no-store"});
            if ([401, 403, 404].includes(answer.status)) return location.reload();
            if (!answer.ok) throw new Error(answer.status);
            const state = await answer.json();
            element("offline").hidden = true;
            for (const [id, html] of Object.entries(state.sections)) replace(element(id), html);
            newest = state.last ?? newest;
            localize(document);
            measure(state);
          } catch {
            element("offline").hidden = false;
            last = null;
          }
        }

        async function follow() {
          await look();
          setTimeout(follow, interval);
        }

        // A picture that cannot be had leaves nothing behind.
        addEventListener("error", event => {
          if (event.target instanceof HTMLImageElement) event.target.hidden = true;
        }, true);
        for (const picture of document.images) {
          if (picture.complete && !picture.naturalWidth) picture.hidden = true;
        }

        // What is to be taken elsewhere can be copied at once.
        for (const value of document.querySelectorAll("code[data-copy]")) {
          const button = document.createElement("button"), of = document.createElement("span");
          const say = word => button.replaceChildren(word, of);
          of.className = "unseen";
          of.textContent = ": " + value.closest("dd").previousElementSibling.textContent;
          button.type = "button";
          say(value.dataset.copy);
          button.addEventListener("click", async () => {
            await navigator.clipboard.writeText(value.textContent);
            say(value.dataset.copied);
          });
          value.after(" ", button);
        }

        signIn();
        addEventListener("hashchange", signIn);
        for (const section of document.querySelectorAll("section > [id]")) {
          shown.set(section.id, section.innerHTML);
        }
        localize(document);
        if (live) {
          document.addEventListener("visibilitychange", look);
          follow();
        }

        """#
}

extension PageFile {
    /// The colours have a contrast of at least 4.5 to 1 against what they stand on.
    static let styleText = """
        :root {
          color-scheme: light dark;
          --page: #ffffff; --text: #1b1f24; --soft: #4d5661; --line: #c9d1d9; --field: #f3f5f8;
          --accent: #1d5fa8; --on-accent: #ffffff; --good: #17663a; --bad: #a3271e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14181d; --text: #e8ebef; --soft: #aab4c0; --line: #3a434e; --field: #1f262e;
            --accent: #8bbcf2; --on-accent: #10151b; --good: #7fd6a2; --bad: #ff9d94;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text);
          font: 16px/1.5 system-ui, sans-serif; }
        header, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center;
          padding-top: .75rem; }
        header form { margin-inline-start: auto; }
        nav a { display: inline-block; padding: .25rem 0; margin-inline-end: .75rem; }
        nav a[aria-current] { color: var(--text); font-weight: 700; text-decoration: none; }
        .brand { margin: 0; font-weight: 700; }
        h1 { font-size: 1.6rem; margin: .75rem 0; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        a { color: var(--accent); }
        dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr;
          gap: .25rem 1rem; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; }
        dl.places { grid-template-columns: 1fr; margin-top: 1rem; }
        dl.places dd { margin-bottom: .75rem; }
        .scroll { overflow-x: auto; position: relative; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0;
          border-bottom: 1px solid var(--line); font-weight: normal; }
        thead th { color: var(--soft); white-space: nowrap; }
        tbody th { font-weight: 600; }
        .actions { display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; }
        form { margin: 0; display: inline-block; }
        section > form, main > form { margin: .75rem 0; }
        button, input, select, textarea { font: inherit; color: inherit; background: var(--field);
          border: 1px solid var(--soft); border-radius: .3rem; padding: .25rem .6rem;
          min-height: 2rem; max-width: 100%; }
        button { cursor: pointer; }
        main > form button { background: var(--accent); color: var(--on-accent);
          border-color: var(--accent); }
        button.danger { color: var(--bad); border-color: var(--bad); text-align: start; }
        summary { cursor: pointer; color: var(--accent); min-height: 1.5rem; }
        details[open] summary { margin-bottom: .3rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
        .fields { display: grid; gap: .75rem; width: min(36rem, calc(100vw - 2rem)); }
        .fields label { display: grid; gap: .15rem; }
        .fields label.check { display: flex; gap: .5rem; align-items: baseline; }
        .fields .check input { min-height: auto; }
        .filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
        .message { border-bottom: 1px solid var(--line); padding: .75rem 0;
          overflow-wrap: anywhere; }
        .message h2 { font-size: 1.05rem; margin: 0; }
        .facts { color: var(--soft); font-size: .9rem; margin: 0; }
        .text { white-space: pre-wrap; margin-top: .25rem; }
        .message img { display: block; max-width: 100%; max-height: 20rem; margin-top: .5rem; }
        .ways code { white-space: pre-wrap; }
        .ways { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none;
          margin: .5rem 0 0; padding: 0; }
        .good { color: var(--good); }
        .bad { color: var(--bad); }
        .notice { border: 1px solid currentcolor; border-radius: .3rem; padding: .5rem .75rem; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        [hidden] { display: none !important; }
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
          gap: 1rem; margin-top: 1rem; }
        .plots:not([hidden]) { display: grid; }
        figure { margin: 0; }
        figcaption { display: flex; justify-content: space-between; color: var(--soft); }
        figure svg { width: 100%; height: 5rem; background: var(--field); border-radius: .3rem; }
        figure polyline { fill: none; stroke: var(--accent); stroke-width: 1.5;
          vector-effect: non-scaling-stroke; }
        svg.code { width: min(18rem, 100%); height: auto; }
        @media (max-width: 40rem) {
          dl { grid-template-columns: 1fr; gap: 0; }
          dd { margin-bottom: .5rem; }
          table, tbody, tbody tr, tbody th, tbody td { display: block; }
          thead { display: none; }
          tbody tr { border: 1px solid var(--line); border-radius: .3rem; padding: .5rem .75rem;
            margin-bottom: .75rem; overflow-wrap: anywhere; }
          tbody th, tbody td { border: 0; padding: .1rem 0; }
          tbody td.actions { display: flex; padding-top: .4rem; }
          td[data-title]::before { content: attr(data-title) ": "; color: var(--soft); }
        }

        """
}
