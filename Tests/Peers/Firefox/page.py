"""An https site with two service workers that report every push they get."""

import collections
import threading

from kit.webserver import Handler, Listening

PAGE = b"""<!doctype html><meta charset="utf-8"><title>Pushes</title><script>
async function registration(scope) {
    const known = await navigator.serviceWorker.getRegistration(`/${scope}/`);
    if (known) return known;
    const made = await navigator.serviceWorker.register(`/${scope}/worker.js`);
    const worker = made.installing ?? made.waiting ?? made.active;
    while (worker.state != "activated") {
        await new Promise(done => worker.addEventListener("statechange", done, { once: true }));
    }
    return made;
}
async function subscribe(scope, applicationServerKey) {
    const options = { userVisibleOnly: true };
    if (applicationServerKey) options.applicationServerKey = applicationServerKey;
    return (await (await registration(scope)).pushManager.subscribe(options)).toJSON();
}
async function subscription(scope) {
    const found = await (await registration(scope)).pushManager.getSubscription();
    return found?.toJSON() ?? null;
}
async function unsubscribe(scope) {
    return (await (await registration(scope)).pushManager.getSubscription()).unsubscribe();
}
</script>"""

WORKER = b"""
const tell = (what, body) => fetch(what, { method: "POST", body });
addEventListener("install", event => event.waitUntil(skipWaiting()));
addEventListener("push", event => event.waitUntil(
    event.data ? tell("message", event.data.arrayBuffer()) : tell("empty", "")));
addEventListener("pushsubscriptionchange", event => event.waitUntil(tell("change", "")));
"""


class Page:
    """Keeps the reports of the workers, as (scope, kind, bytes)."""

    def __init__(self, certificate):
        self.seen = collections.Counter()
        self.change = threading.Condition()
        page = self

        class Site(Handler):
            def do_GET(self):
                if self.path == "/":
                    self.answer(200, PAGE, Content_Type="text/html")
                elif self.path.endswith("/worker.js"):
                    self.answer(200, WORKER, Content_Type="text/javascript")
                else:
                    self.answer(404)

            def do_POST(self):
                body = self.body()
                _, scope, kind = self.path.split("/")
                with page.change:
                    page.seen[scope, kind, body] += 1
                    page.change.notify_all()
                self.answer(200)

        self.url = Listening(Site, certificate).url

    def wait_for(self, expected, limit):
        """Whether all counted pushes arrived in time."""
        with self.change:
            return self.change.wait_for(lambda: self.seen >= expected, limit)


class Proxy:
    """Refuses everything and remembers the requested hosts."""

    def __init__(self):
        self.hosts = hosts = set()

        class Refusal(Handler):
            timeout = 5

            def refuse(self):
                hosts.add(self.path)
                self.send_error(403)

            do_CONNECT = do_GET = do_POST = do_HEAD = refuse

        self.server = Listening(Refusal)
