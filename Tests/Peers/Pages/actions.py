"""What a person does on the status page, step by step, in one browser."""

import asyncio
import http.server
import json
import re
import shlex
import ssl
import subprocess
import threading
import time

import websockets
from kit.checks import Failed
from served import check
from tab import ENTER

COOKIE = "__Host-bellwire"
SECTIONS = ("state", "registrations", "devices", "errors", "events", "plots")
# A name that would be a script, end an attribute, and turn the text around it.
HOSTILE = "<script>x</script>\"'><img src=x onerror=alert(1)>"
TURNED = "\u202egnp.exe"
TITLE, TEXT = "zq-title-of-a-push", "zq-text-of-a-push"


def form(ending):
    """The button of the form that posts to an address with this ending."""
    return f"document.querySelector('form[action$={json.dumps(ending)}] :is(button, [type=submit])')"


def row(section, text):
    """The row of a section's table that has this text."""
    return f"[...document.querySelectorAll('#{section} tr')].find(row => row.textContent.includes({json.dumps(text)}))"


class Asked(http.server.ThreadingHTTPServer):
    """Is asked by buttons, and keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.requests = []

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Answers(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Person:
    """Goes through the page, and keeps in mind what belongs to this browser's visit."""

    def __init__(self, server, tab, name):
        self.server, self.tab, self.name = server, tab, name
        self.base = server.base

    def check(self, condition, what):
        check(condition, f"{self.name}: {what}")

    def prepare(self):
        """A registration with a chat, one that is ended, and a topic whose messages are read."""
        self.alerts = self.server.tell("topic", "add", f"alerts {self.name}", "--from", "uptime-kuma")
        self.ended = self.server.tell("topic", "add", f"ended {self.name}")
        self.server.alert(self.alerts["endpoint"], TITLE, TEXT)
        check.soon(lambda: self.chats(), "the push makes a chat")
        self.news = self.server.tell("topic", "add", f"news {self.name}")

    def chats(self):
        return self.server.account(f"alerts {self.name}")["chats"]

    def log_in(self):
        """By a link: a script moves the code from the address into the field."""
        tab, link = self.tab, self.server.link()
        code = link.partition("#")[2]
        tab.open(f"{self.base}/ui/")
        self.check(tab.status == 200 and tab.url == f"{self.base}/ui/login", "the page asks to log in")
        tab.open(link)
        tab.wait(f"document.querySelector('[name=code]').value == {json.dumps(code)}", "the field has the code")
        self.check(tab.url == f"{self.base}/ui/login", "the code is gone from the address")
        tab.follow(form("ui/login"), "the button logs in")
        self.check(tab.url == f"{self.base}/ui/", f"the page comes after the code: {tab.url}")
        self.look_at_cookie()

    def log_in_by_hand(self):
        """By typing the code, as one does where pages may run no scripts."""
        tab, code = self.tab, self.server.code()
        tab.open(f"{self.base}/ui/login")
        tab.fill("document.querySelector('[name=code]')", code)
        tab.await_page(lambda: tab.press(ENTER), "the code logs in")
        self.check(tab.url == f"{self.base}/ui/", f"the page comes after the code: {tab.url}")

    def look_at_cookie(self):
        [cookie] = self.tab.cookies()
        seen = {name: cookie.get(name) for name in ("name", "httpOnly", "secure", "sameSite", "path", "domain")}
        wanted = {
            "name": COOKIE,
            "httpOnly": True,
            "secure": True,
            "sameSite": "strict",
            "path": "/",
            "domain": "localhost",
        }
        self.check(seen == wanted, f"the cookie is {seen}")
        self.check(abs(cookie["expiry"] - time.time() - 43_200) < 60, "the cookie ends after twelve hours")
        self.check(self.tab.value("document.cookie") == "", "scripts do not see the cookie")

    def read(self):
        """Every section has a heading, and every table says what its columns are."""
        self.tab.follow("document.querySelector('nav a[href$=\"/ui/status\"]')", "the status")
        for section in SECTIONS:
            heading = f"document.querySelector('#title-{section}, #{section} :is(h2, h3)')"
            self.check(self.tab.value(f"!!{heading} && !!document.querySelector('#{section}')"), f"there is {section}")
        self.check(
            self.tab.value("[...document.querySelectorAll('table')].every(table => table.querySelector('th'))"),
            "tables have headings",
        )
        for section, text in (("registrations", f"alerts {self.name}"), ("registrations", f"ended {self.name}")):
            self.check(self.tab.value(f"!!{row(section, text)}"), f"{section} has {text}")
        shown = self.tab.value("document.documentElement.outerHTML")
        secret = self.alerts["endpoint"].rpartition("/")[2]
        for word in (TITLE, TEXT, secret):
            self.check(word not in shown, f"the page does not show {word[:8]}…")

    def see_push(self):
        """A push arrives in the page that is open, without loading it anew."""
        tab = self.tab
        tab.do("() => document.documentElement.dataset.old = 1")
        before = tab.value("document.querySelector('#events').textContent")
        self.server.alert(self.alerts["endpoint"], TITLE, f"{TEXT} {time.time()}")
        tab.wait(f"document.querySelector('#events').textContent != {json.dumps(before)}", "the push is seen")
        self.check(tab.value("!!document.documentElement.dataset.old"), "the page was not loaded anew")
        drawn = "[...document.querySelectorAll('.plots svg')].every(plot => plot.querySelector('path, polyline'))"
        tab.wait(f"!document.querySelector('.plots').hidden && {drawn}", "the plots are drawn")
        self.check(TEXT not in tab.value("document.documentElement.outerHTML"), "no text of a push is shown")

    def read_messages(self):
        """What comes is on the page without loading it anew, and is found by its words and its topic."""
        tab, words = self.tab, f"harvest {self.name}"
        tab.open(f"{self.base}/ui/")
        tab.do("() => document.documentElement.dataset.old = 1")
        self.server.push(self.news["endpoint"], f"{words}\nsecond line", HOSTILE)
        tab.wait(f"document.body.textContent.includes({json.dumps(words)})", "the message is seen")
        self.check(tab.value("!!document.documentElement.dataset.old"), "the page was not loaded anew")
        tab.do("() => document.querySelector('.message').isKept = true")
        self.server.push(self.news["endpoint"], f"and then {words}", "")
        tab.wait(f"document.body.textContent.includes({json.dumps(f'and then {words}')})", "the next is seen")
        kept = "[...document.querySelectorAll('.message')].map(message => !!message.isKept)"
        self.check(tab.value(kept)[:2] == [False, True], "what was there stays as it was, below")
        self.find_messages(words)

    def find_messages(self, words):
        tab = self.tab
        title = "document.querySelector('.message h2')"
        for search, topic, isFound in (
            (words, self.news, True),
            ("nowhere", self.news, False),
            (words, self.alerts, False),
        ):
            tab.open(f"{self.base}/ui/?topic={topic['id']}")
            tab.fill("document.querySelector('[name=search]')", search)
            tab.await_page(lambda: tab.press(ENTER), "the search")
            self.check(tab.value(f"!!{title}") == isFound, f"{search} in {tab.url} is found: {isFound}")
        tab.open(f"{self.base}/ui/")
        titles = tab.value("[...document.querySelectorAll('.message h2')].map(title => title.textContent)")
        self.check(HOSTILE in titles, f"a hostile title is text: {titles}")
        self.check(
            tab.value("getComputedStyle(document.querySelector('.message .text')).whiteSpace").startswith("pre"),
            "lines stay apart",
        )

    def message(self, words):
        """The message that has these words, the newest of several."""
        return (
            "[...document.querySelectorAll('#list .message')]"
            f".find(message => message.textContent.includes({json.dumps(words)}))"
        )

    def mark_messages(self, has_scripts=True):
        """A message is read, unread again, and deleted; every other page of the owner learns it."""
        tab, words = self.tab, f"parsley {self.name}"
        for text in (f"{words} one", f"{words} two"):
            self.server.push(self.news["endpoint"], text, "")
        tab.open(f"{self.base}/ui/?topic={self.news['id']}")
        one, two = (self.message(f"{words} {number}") for number in ("one", "two"))

        def press(button, what):
            action = lambda: tab.click(button)  # noqa: E731
            action() if has_scripts else tab.await_page(action, what)

        for name, isNew in (("read", False), ("unread", True)):
            press(f"{one}.querySelector('[name={name}]')", name)
            tab.wait(f"!!{one}.querySelector('strong') == {json.dumps(isNew)}", f"it is marked as {name}")
            [kept] = [m for m in self.messages() if m["message"] == f"{words} one"]
            self.check(kept.get("cleared", False) != isNew, f"others see that it is {name}: {kept}")
        press("document.querySelector('#all button')", "all")
        tab.wait("!document.querySelector('#list .message strong')", "all are read")
        tab.click(f"{two}.querySelector('summary')")
        press(f"{two}.querySelector('[name=delete]')", "deletion")
        tab.wait(f"!{two}", "it is gone")
        self.check(f"{words} two" not in json.dumps(self.messages()), "and gone everywhere")
        self.check("topic=" in tab.url, f"the page is where it was: {tab.url}")

    def messages(self):
        return self.server.ask("GET", f"messages?topic={self.news['id']}&limit=500")["messages"]

    def scroll(self):
        """Older messages come as somebody scrolls down, and none is lost as newer ones come."""
        tab, count = self.tab, 120
        topic = self.server.tell("topic", "add", f"rows {self.name}")
        for number in range(count):
            self.server.push(topic["endpoint"], f"row {number} {self.name}", "")
        tab.open(f"{self.base}/ui/?topic={topic['id']}")
        rows = "document.querySelectorAll('#list .message').length"
        for wanted in (51, 101):
            tab.do("() => document.querySelector('#list').lastElementChild.scrollIntoView({block: 'end'})")
            tab.wait(f"{rows} >= {wanted}", "there are more")
        for number in range(count, count + 3):
            self.server.push(topic["endpoint"], f"row {number} {self.name}", "")
        tab.wait(f"!!{self.message(f'row {count + 2} {self.name}')}", "newer ones are seen as well")
        tab.wait("!document.querySelector('#older')", "there are no more")
        names = tab.value("[...document.querySelectorAll('#list .message .text')].map(text => text.textContent)")
        wanted = [f"row {number} {self.name}" for number in reversed(range(count + 3))]
        self.check(names[: count + 3] == wanted, f"all are there in order: {names}")
        old = self.message(f"row 5 {self.name}")
        # Not with the mouse: what has just come may still move it.
        tab.do(f"() => {old}.querySelector('[name=read]').click()")
        tab.wait(f"!!{old}.querySelector('[name=unread]')", "one far below is marked as well")
        tab.open(f"{self.base}/ui/")
        self.server.run("registration", "revoke", topic["id"])

    def answer_questions(self, has_scripts=True):
        """A question that waits is on top, and whoever asks gets what is pressed."""
        tab = self.tab
        tab.open(f"{self.base}/ui/")
        for answers, given, ending in (
            (["yes", HOSTILE[:20]], "document.querySelector('.question [name=place][value=\"1\"]')", HOSTILE[:20]),
            (["*"], None, "by hand"),
        ):
            asked = {"topic": self.news["id"], "message": "Shall I?", "ask": answers}
            question = self.server.ask("POST", "questions", asked)
            if has_scripts:
                tab.wait("!!document.querySelector('.question')", "the question is seen")
            else:
                tab.open(f"{self.base}/ui/")
            if given:
                tab.follow(given, "an answer")
            else:
                tab.fill("document.querySelector('.question [name=text]')", "by hand")
                tab.await_page(lambda: tab.press(ENTER), "an answer in one's own words")
            self.check(tab.url == f"{self.base}/ui/?done=answered", f"the answer is given: {tab.url}")
            result = self.server.ask("GET", f"questions/{question['id']}")
            self.check((result["state"], result.get("answer")) == ("answered", ending), f"{ending}: {result}")
            self.check(tab.value("!document.querySelector('.question')"), "the question is gone")

    def publish(self, text, fields):
        """As a program with a token does."""
        name = f"press-{self.name.replace(' ', '-')}"
        self.server.tell("topic", "add", name)
        token = self.server.tell("token", "add", name, "--topic", name, "--write")["token"]
        fields = fields | {"Authorization": f"Bearer {token}"}
        answer = self.server.session.post(f"{self.base}/{name}", text, headers=fields, timeout=self.server.limit)
        self.check(answer.status_code == 200, f"it is published: {answer.text}")

    def press_buttons(self):
        """A button sends what its sender wrote, and nothing of the person's; what it may not reach is said."""
        tab = self.tab
        with Asked() as asked:
            button = f"http, Restart, http://127.0.0.1:{asked.server_port}/x, method=PUT, headers.X-Key=7, body=now"
            actions = f"{button}, clear=true; http, Inside, http://127.0.0.9:{asked.server_port}/"
            self.publish("button of hers", {"Actions": actions})
            tab.open(f"{self.base}/ui/")
            message = self.message("button of hers")
            self.check("(127.0.0.1)" in tab.value(f"{message}.textContent"), "the host is named")
            tab.follow(f"{message}.querySelector('[name=press]')", "the button")
            self.check("200" in tab.value("document.querySelector('[role=status]').textContent"), "the status is said")
            [(method, path, fields, body)] = asked.requests
            self.check((method, path, body) == ("PUT", "/x", b"now"), f"the sender's request: {method} {path} {body}")
            self.check(fields.get("X-Key") == "7" and fields.get("Idempotency-Key"), f"its fields: {fields}")
            self.check(not {"Cookie", "Authorization", "Referer"} & set(fields), f"nothing of hers: {fields}")
            self.check(tab.value(f"!!{message}.querySelector('[name=unread]')"), "the message is read with it")
            tab.follow(f"[...{message}.querySelectorAll('[name=press]')][1]", "the other button")
            self.check(tab.url.endswith("done=press-forbidden"), f"it is not sent: {tab.url}")
            self.check(len(asked.requests) == 1, "nothing was asked")

    def send_test(self):
        count = self.server.account(f"alerts {self.name}")["total_count"]
        self.use(f"registrations/{self.alerts['id']}/test")
        check.soon(
            lambda: self.server.account(f"alerts {self.name}")["total_count"] > count,
            f"{self.name}: the test makes a notification",
        )

    def use(self, ending):
        """Presses the button of a form, which leads back to a page of ours. Some buttons have to be opened first."""
        closed = f"{form(ending)}?.closest('details:not([open])')"
        if self.tab.value(f"!!{closed}"):
            self.tab.click(f"{closed}.querySelector('summary')")
        self.tab.follow(form(ending), f"the form {ending}")
        self.check(self.tab.url.startswith(f"{self.base}/ui/"), f"{ending} leads to {self.tab.url}")
        self.check(self.tab.status == 200, f"{ending}: {self.tab.status}")

    def pause(self):
        def is_paused():
            return self.server.account(f"alerts {self.name}")["source"]["paused"]

        self.open_chats()
        self.use(f"accounts/{self.alerts['id']}/pause")
        check.soon(is_paused, f"{self.name}: the account is paused")
        self.use(f"accounts/{self.alerts['id']}/unpause")
        check.soon(lambda: not is_paused(), f"{self.name}: the pause ends")

    def open_chats(self):
        """The titles of chats are on a page of their own, which somebody has to ask for."""
        self.tab.open(f"{self.base}/ui/status")
        self.tab.follow(f"document.querySelector('a[href$=\"accounts/{self.alerts['id']}\"]')", "the chats")

    def mute(self):
        tab = self.tab
        self.open_chats()
        self.check(TITLE in tab.value("document.body.textContent"), "the chat has its title")
        self.use(f"accounts/{self.alerts['id']}/mute")
        check.soon(lambda: self.chats()[0]["mute_for"] > 0, f"{self.name}: the chat is muted")
        self.use(f"accounts/{self.alerts['id']}/unmute")
        check.soon(lambda: self.chats()[0]["mute_for"] == 0, f"{self.name}: the chat is no longer muted")
        tab.open(f"{self.base}/ui/status")

    def add_device(self, name):
        """The address and its QR code are shown once. Returns the address."""
        tab = self.tab
        tab.fill("document.querySelector('form[action$=\"ui/devices\"] [name=name]')", name)
        tab.follow(form("ui/devices"), "a device is added")
        found = re.search(rf"wss://localhost:{self.server.port}/u/[\w-]{{27}}", tab.value("document.body.textContent"))
        self.check(found, "the address of the device is shown")
        self.check(tab.value("!!document.querySelector('svg, img')"), "a QR code is shown")
        return found[0]

    def shown_once(self, address, name):
        """Neither loading the page anew nor going back shows the secret, or makes a second device."""
        tab, secret, here = self.tab, address.rpartition("/")[2], self.tab.url
        ways = [
            ("the address of that page", lambda: tab.open(here)),
            ("the page", lambda: tab.open(f"{self.base}/ui/status")),
            ("going back", lambda: tab.call("browsingContext.traverseHistory", context=tab.context, delta=-2)),
        ]
        # Firefox asks whether to send the form again, and has nobody to answer.
        if tab.browser.name == "chromium":
            reload = lambda: tab.call("browsingContext.reload", context=tab.context, wait="complete")  # noqa: E731
            ways.insert(0, ("loading anew", reload))
        for what, action in ways:
            action()
            time.sleep(0.3)
            self.check(
                secret not in tab.value("document.documentElement.outerHTML"), f"{what} does not show the secret"
            )
        count = sum(device["name"] == name for device in self.server.devices())
        self.check(count == 1, f"there is one such device, not {count}")
        tab.open(f"{self.base}/ui/status")

    def remove_device(self, address, name):
        """A user agent that came with the address is cut off."""
        [device] = [device for device in self.server.devices() if device["name"] == name]
        ended = asyncio.run(self.connected(address, device))
        self.check(ended < 1.5, f"the user agent is cut off after {ended:.1f} s")
        self.check(not any(other["id"] == device["id"] for other in self.server.devices()), "the device is removed")
        button = form(f"devices/{device['id']}/remove")
        self.check(self.tab.value(f"!{button}"), "the page no longer has the device")

    async def connected(self, address, device):
        """How long a connection lasts after the device was removed."""
        context = ssl.create_default_context(cafile=self.server.authority)
        async with websockets.connect(address, ssl=context, proxy=None, compression=None) as socket:
            await socket.send(json.dumps({"messageType": "hello", "use_webpush": True}))
            answer = json.loads(await asyncio.wait_for(socket.recv(), 10))
            self.check(answer.get("status") == 200, f"the user agent may connect: {answer}")
            await asyncio.to_thread(self.use, f"devices/{device['id']}/remove")
            removed = time.monotonic()
            try:
                await asyncio.wait_for(socket.recv(), 10)
            except websockets.ConnectionClosed:
                pass
            return time.monotonic() - removed

    def revoke(self):
        self.use(f"registrations/{self.ended['id']}/revoke")
        answer = self.server.session.post(self.ended["endpoint"], b"x", headers={"TTL": "60"}, timeout=10)
        self.check(answer.status_code == 410, f"a push to what was revoked: {answer.status_code}")
        self.check(self.tab.value(f"!{row('registrations', f'ended {self.name}')}"), "the page no longer has it")

    def use_topics(self, name, has_scripts):
        """A topic is made, a token for it is shown once, its line pushes, and all of it is seen. Returns the address
        of the QR code, whose picture is on the screen."""
        tab = self.tab
        tab.follow("document.querySelector('nav a[href$=\"/ui/topics\"]')", "the topics")
        tab.fill("document.querySelector('form[action$=\"ui/topics\"] [name=name]')", name)
        tab.follow(form("ui/topics"), "a topic is made")
        self.check(f"{self.base}/{name}" in tab.value("document.body.textContent"), "its address is shown")
        self.topic = tab.url.partition("?")[0]
        tab.fill("document.querySelector('form[action$=\"/tokens\"] [name=name]')", "Grafana")
        tab.follow(form("/tokens"), "a token is made")
        values = tab.value("[...document.querySelectorAll('dd code')].map(code => code.textContent)")
        [line] = [value for value in values if value.startswith("curl ")]
        self.token = re.search(r"tk_[0-9a-z]{29}", line)[0]
        environment = {"CURL_CA_BUNDLE": str(self.server.authority), "PATH": "/usr/bin"}
        command = [*shlex.split(line), "-sS", "-m", "10", "-w", "%{http_code}"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20)
        self.check(done.stdout.endswith("200"), f"the line pushes: {done.stdout} {done.stderr}")
        if has_scripts:
            tab.click("document.querySelector('dd button')")
            tab.wait("document.querySelector('dd button').textContent.startsWith('Copied')", "the token is copied")
        [address] = [value for value in values if value.startswith("ntfys://")]
        return address

    def look_after_topic(self, name):
        """What came, what was refused and why; then a message by hand, and the end."""
        tab, server = self.tab, self.server
        tab.open(self.topic)
        self.check(self.token not in tab.value("document.documentElement.outerHTML"), "the token is shown once")
        header = {"Authorization": f"Bearer {self.token}"}
        read = server.session.get(f"{self.base}/{name}/json?poll=1", headers=header, timeout=10)
        self.check(read.status_code == 403, f"a token that pushes does not read: {read.status_code}")
        tab.open(self.topic)
        text = tab.value("document.body.textContent")
        self.check("Grafana" in text and "403" in text, "the refusal is explained")
        tab.fill("document.querySelector('[name=text]')", f"written by hand to {name}")
        self.use("/send")
        tab.open(f"{self.base}/ui/")
        for words in ("hello", f"written by hand to {name}"):
            self.check(tab.value(f"document.body.textContent.includes({json.dumps(words)})"), f"{words} has come")
        for step in ("/mute", "/unmute", "/settings", "/revoke"):
            tab.open(self.topic)
            self.use(step)
        self.check("Grafana" not in tab.value("document.querySelector('main table')?.textContent ?? ''"), "no token")
        tab.follow("document.querySelector('a[href$=\"/remove\"]')", "the page that asks")
        self.use("/remove")
        self.check(name not in tab.value("document.querySelector('main').textContent"), "the topic is gone")
        tab.open(f"{self.base}/ui/status")

    def log_out(self):
        tab = self.tab
        [cookie] = self.tab.cookies()
        tab.follow(form("ui/logout"), "logging out")
        self.check(tab.url == f"{self.base}/ui/login", f"logging out leads to {tab.url}")
        self.check(not tab.cookies(), "the cookie is gone")
        value = {"Cookie": f"{COOKIE}={cookie['value']['value']}"}
        status = self.server.session.get(f"{self.base}/ui/live", headers=value, timeout=10).status_code
        self.check(status == 401, f"the old cookie after logging out: {status}")

    def use_passkey(self):
        """A browser with an authenticator makes a passkey, and signs in with it after signing out."""
        tab = self.tab
        tab.add_authenticator()
        tab.open(f"{self.base}/ui/access")
        tab.fill("document.querySelector('#add-passkey [name=name]')", "k")
        tab.follow("document.querySelector('#add-passkey button')", "the passkey")
        self.check(tab.url.endswith("done=passkey"), f"it is made: {tab.url}")
        self.check(
            tab.value("document.querySelector('#title-keys + p + .scroll').textContent").count("k"), "it is listed"
        )
        tab.follow(form("ui/logout"), "logging out")
        tab.follow("document.querySelector('#use-passkey button')", "the passkey signs in")
        self.check(tab.url == f"{self.base}/ui/", f"the messages come: {tab.url}")
        tab.open(f"{self.base}/ui/access")
        self.use("remove")
        self.check(tab.url.endswith("done=passkey-removed"), f"it is removed: {tab.url}")

    def was_quiet(self, expected=()):
        """Nothing else was asked for, forbidden by the policy, or complained about."""
        requests, violations, messages = self.tab.told()
        # A browser's own pages, such as the one that a form has expired, load pictures of its own.
        foreign = {url for url in requests if not url.startswith((f"{self.base}/ui/", "data:", "chrome:", "resource:"))}
        self.check(not foreign, f"requests to others: {sorted(foreign)}")
        self.check(not violations, f"the policy was violated: {violations}")
        bad = [text for text in messages if text.startswith(("error", "warn"))]
        self.check(not bad, f"the console says {bad}")
        if not requests:
            raise Failed(f"{self.name}: no request was seen")
        return len(requests)
