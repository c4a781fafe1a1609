"""Pages of others that link to, post to, fetch and frame the status page, in a browser that is logged in.

A browser counts a page at another port of the same name as the same site: it sends the cookie along, and only the
origin and the token in the form are left to refuse its request. A page of another name is another site.
"""

import json
import time

from kit.webserver import Handler, Listening
from served import check

PAGE = b"<!doctype html><html lang=en><meta charset=utf-8><title>Another page</title><link rel=icon href=data:,>"

POST = """(url, token) => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = url;
    form.innerHTML = `<input name=name value=x><input name=csrf value="${token}">`;
    document.body.append(form);
    form.submit();
}"""
LINK = """url => {
    const link = document.createElement("a");
    link.href = url;
    document.body.append(link);
    link.click();
}"""
LOAD = """(url, name) => {
    const tag = document.createElement(name);
    tag.rel = "stylesheet";
    tag.data = tag.href = tag.src = url;
    document.body.append(tag);
}"""
INJECT = """() => {
    const add = (name, members) => {
        const tag = document.createElement(name);
        for (const [key, value] of Object.entries(members)) tag.setAttribute(key, value);
        document.body.append(tag);
        return tag;
    };
    const script = document.createElement("script");
    script.textContent = "document.isOurs = 1";
    document.body.append(script);
    add("script", { src: "https://127.0.0.1:9/x.js" });
    add("p", { onclick: "document.isOurs = 1" }).click();
    add("a", { href: "javascript:void(document.isOurs = 1)" }).click();
    // Firefox throws where the policy forbids it.
    try { add("form", { action: "https://127.0.0.1:9/", method: "post" }).submit(); } catch {}
}"""


class Foreign:
    """An https server at a port of its own, which has an empty page."""

    def __init__(self, certificate):
        class Page(Handler):
            def do_GET(self):
                self.answer(200, PAGE, Content_Type="text/html")

        self.server = Listening(Page, certificate)

    def url(self, name):
        return f"https://{name}:{self.server.server_port}/"


class Attacks:
    def __init__(self, person, foreign):
        self.person, self.tab, self.server = person, person.tab, person.server
        self.foreign, self.base = foreign, person.server.base

    def check(self, condition, what):
        self.person.check(condition, what)

    def all(self):
        """Every way from both places. Nothing of ours changes, and nothing of ours is read."""
        before = self.seen()
        # As if they had found out the token of the session.
        self.tab.open(f"{self.base}/ui/")
        token = self.tab.value("document.querySelector('[name=csrf]').value")
        for name, is_same_site in (("localhost", True), ("127.0.0.1", False)):
            self.from_here(self.foreign.url(name), is_same_site, token)
            self.check(self.seen() == before, f"a page at {name} changes nothing")
        self.tab.told()
        self.tab.open(f"{self.base}/ui/")
        self.check(self.tab.url == f"{self.base}/ui/", "the session outlives all of this")
        self.rebind()

    def seen(self):
        """A device or a registration more or less, or another chat that is muted, would be seen."""
        devices = [device["id"] for device in self.server.devices()]
        registrations = [registration["id"] for registration in self.server.registrations()]
        return devices, registrations, [chat["mute_for"] for chat in self.person.chats()]

    def from_here(self, here, is_same_site, token):
        tab = self.tab
        for target in ("devices", "logout", f"registrations/{self.person.alerts['id']}/revoke"):
            tab.open(here)
            tab.told()
            tab.do(POST, f"{self.base}/ui/{target}", token)
            status = check.soon(lambda: tab.answered(f"{self.base}/ui/{target}"), "a foreign form is answered")
            self.check(status == 403, f"a form from {here} to {target}: {status}")
        tab.open(here)
        tab.told()
        tab.do(LINK, f"{self.base}/ui/status")
        # The browser keeps the cookie back where the link is on another site.
        wanted = f"{self.base}/ui/status" if is_same_site else f"{self.base}/ui/login"
        tab.wait_for_url(wanted, f"a link from {here}")
        self.check(tab.value("!!document.querySelector('#devices')") == is_same_site, f"what a link from {here} shows")
        tab.open(here)
        leaving = f", method: 'POST', body: new URLSearchParams('csrf={token}')"
        for options in ("credentials: 'include'", "credentials: 'include', mode: 'no-cors'"):
            for path, more in (("live", ""), ("messages", ""), ("", ""), ("logout", leaving)):
                fetched = f"fetch('{self.base}/ui/{path}', {{ {options}{more} }})"
                read = tab.run(f"{fetched}.then(answer => answer.text(), () => '')")
                self.check(read == "", f"a fetch of {path} from {here} reads {len(read)} characters")
        for tag in ("script", "img", "link", "object", "embed"):
            tab.do(LOAD, f"{self.base}/ui/live", tag)
        self.frame(here)

    def frame(self, here):
        """The browser shows nothing of ours in a frame."""
        tab = self.tab
        tab.told()
        for path in ("/ui/", "/ui/login"):
            tab.do(LOAD, self.base + path, "iframe")
        time.sleep(1)
        for path in ("/ui/", "/ui/login"):
            self.check(tab.answered(self.base + path), f"the browser asks for {path} to frame it")
        # A page that is shown asks for its script and style.
        requests, _, _ = tab.told()
        shown = [url for url in requests if url.endswith((".js", ".css"))]
        self.check(not shown, f"a page at {here} frames ours: {shown}")

    def rebind(self):
        """A name of others that leads to this machine."""
        self.tab.told()
        url = f"http://evil.test:{self.server.plain_port}/ui/login"
        self.tab.open(url)
        status = self.tab.answered(url)
        self.check(status == 421, f"a page by another name: {status}")
        self.tab.told()

    def inject(self):
        """Script that somebody managed to put into the page does not run."""
        tab = self.tab
        tab.open(f"{self.base}/ui/")
        tab.told()
        tab.do(INJECT)
        time.sleep(0.5)
        self.check(tab.value("!document.isOurs"), "injected script does not run")
        self.check(tab.url == f"{self.base}/ui/", "an injected form leads nowhere")
        _, violations, _ = tab.told()
        seen = {violation.split()[0] for violation in violations}
        self.check(
            {"script-src-elem", "script-src-attr", "form-action"} <= seen, f"the policy was asked: {sorted(seen)}"
        )

    def show(self, page, *names):
        """Hostile names are text: no element, no script and no turned direction comes of them."""
        tab = self.tab
        tab.open(f"{self.base}/ui/{page}")
        # The script has put everything in place once more.
        tab.run("new Promise(done => setTimeout(done, 2500))")
        for name in names:
            self.check(
                tab.value(f"document.body.textContent.includes({json.dumps(name)})"),
                f"{name!r} is text in /ui/{page[:8]}",
            )
        self.check(tab.value("!document.querySelector('img, script:not([src])')"), "names make no elements")
        turned = tab.value("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)")
        self.check(not turned, "nothing turns text")
