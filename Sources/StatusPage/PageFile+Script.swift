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

        // A section is left alone while somebody has something open there, and of a list the article.
        function replace(section, html) {
          const text = written(html), isList = section.querySelector("article");
          if (shown.get(section.id) === text) return;
          if (!isList && section.querySelector("details[open]")) return;
          const focus = section.contains(document.activeElement) ? document.activeElement.id : "";
          shown.set(section.id, text);
          if (isList) renew(section, html); else section.innerHTML = html;
          localize(section);
          refocus(focus);
        }

        // What had the focus may have been put there anew.
        function refocus(id) {
          if (id && document.activeElement === document.body) {
            element(id)?.focus({preventScroll: true});
          }
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

        const {live, stream} = document.body.dataset;
        // Now and then the whole is asked for: what was erased or has expired makes nothing newer.
        const whole = 30;
        let last = null, newest = document.body.dataset.last, rounds = 0;
        // So long, in milliseconds, after an answer nothing is asked because something came.
        const pause = 500;
        let isAsking = false, isWanted = false, isResting = false, events = null;
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

        // Nothing for a visitor who may not be here any more.
        async function ask(place) {
          const answer = await fetch(place, {credentials: "same-origin", cache: "no-store"});
          if ([401, 403, 404].includes(answer.status)) return void location.reload();
          if (!answer.ok) throw new Error(answer.status);
          return answer.json();
        }

        // `isOwn`: because of what somebody has done here.
        async function look(isWhole = false, isOwn = false) {
          if (document.hidden) return;
          // An answer that is on its way may lack what has just come.
          if (isAsking || isResting && !isOwn) return void (isWanted = true);
          isAsking = isResting = true;
          try {
            const sign = live.includes("?") ? "&" : "?";
            const isKnown = newest !== undefined && !isWhole;
            const state = await ask(live + (isKnown ? sign + "last=" + newest : ""));
            if (!state) return;
            element("offline").hidden = true;
            for (const [id, html] of Object.entries(state.sections)) replace(element(id), html);
            if (isWhole && window.renewMore) await renewMore();
            newest = state.last ?? newest;
            localize(document);
            measure(state);
          } catch {
            element("offline").hidden = false;
            last = null;
          } finally {
            isAsking = false;
            setTimeout(rested, pause);
          }
        }

        function rested() {
          isResting = false;
          if (!isWanted) return;
          isWanted = false;
          look();
        }

        // Where nobody tells what is new, it is asked for all the time.
        async function follow() {
          rounds += 1;
          const isWhole = rounds % whole === 0;
          if (isWhole || events?.readyState !== EventSource.OPEN) await look(isWhole);
          setTimeout(follow, interval);
        }

        function listen() {
          if (document.hidden) {
            events?.close();
            events = null;
            return;
          }
          look();
          if (!stream || events) return;
          events = new EventSource(stream);
          events.onopen = events.onmessage = () => look();
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
          document.addEventListener("visibilitychange", listen);
          addEventListener("pagehide", () => events?.close());
          // After all scripts of the page.
          addEventListener("DOMContentLoaded", () => {
            listen();
            setTimeout(follow, interval);
          });
        }

        """#
}
