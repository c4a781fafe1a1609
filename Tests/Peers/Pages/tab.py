"""One tab of a browser: what a person sees and does there, and what the browser says about it."""

import base64
import json
import time

from browsers import BrowserError
from kit.checks import Failed
from served import check

# Told by each page before its own scripts run.
VIOLATIONS = """told => document.addEventListener(
    "securitypolicyviolation", event => told(event.effectiveDirective + " " + event.blockedURI))"""
EVENTS = [
    "log.entryAdded",
    "network.beforeRequestSent",
    "network.fetchError",
    "network.responseStarted",
    "script.message",
]
CHANGED = "!document.documentElement.dataset.old && document.readyState == 'complete' && location.href != 'about:blank'"
ENTER, TAB, SHIFT, SPACE = "\ue007", "\ue004", "\ue008", " "


class Tab:
    patience = 15

    def __init__(self, browser):
        self.browser, self.call = browser, browser.bidi.call
        self.viewport = None
        # Firefox's first window never has the focus without a screen, so a page there marks nothing as focused.
        self.context = self.call("browsingContext.create", type="window")["context"]
        self.call("session.subscribe", events=EVENTS)
        channel = {"type": "channel", "value": {"channel": "violations"}}
        self.call("script.addPreloadScript", functionDeclaration=VIOLATIONS, arguments=[channel])

    def open(self, url):
        try:
            self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        except BrowserError:
            # An answer without contents becomes a page of the browser's own.
            pass

    @property
    def status(self):
        """With what the server answered for the page that is shown."""
        return self.value("performance.getEntriesByType('navigation')[0].responseStatus")

    def answered(self, *urls):
        """The status of the last answer from one of these addresses, to whatever asked for it."""
        self.browser.bidi.catch_up()
        for event in reversed(self.browser.bidi.events):
            parameters = event["params"]
            if event["method"] == "network.responseStarted" and parameters["request"]["url"] in urls:
                return parameters["response"]["status"]
        return 0

    def value(self, expression, context=None):
        """What an expression is worth in the page. Browsers evaluate it even where pages may run no scripts."""
        answer = self.call(
            "script.evaluate",
            expression=f"JSON.stringify({expression}) ?? 'null'",
            target={"context": context or self.context},
            awaitPromise=False,
        )
        if answer["type"] != "success":
            raise BrowserError(f"{expression}: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"]["value"])

    def do(self, function, *arguments):
        """Calls a function in the page, which need not answer."""
        given = ", ".join(json.dumps(argument) for argument in arguments)
        self.value(f"void ({function})({given})")

    def run(self, expression):
        """Waits for a promise in the page."""
        answer = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then(value => JSON.stringify(value) ?? 'null')",
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] != "success":
            raise BrowserError(f"{expression[:200]}: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"]["value"])

    def wait(self, expression, what):
        """Waits until an expression is true, also while pages come and go."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                if got := self.value(expression):
                    return got
            except BrowserError:
                pass
            if time.monotonic() > deadline:
                raise Failed(f"{what}: {expression} is not so within {self.patience} s at {self.url}")
            time.sleep(0.1)

    @property
    def url(self):
        return self.call("browsingContext.getTree", root=self.context, maxDepth=0)["contexts"][0]["url"]

    def wait_for_url(self, url, what):
        self.wait(f"document.readyState == 'complete' && location.href == {json.dumps(url)}", what)

    def element(self, expression):
        answer = self.call(
            "script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=False
        )
        found = answer.get("result", {}).get("sharedId")
        check(found, f"{self.browser.name}: there is {expression}")
        return {"type": "element", "element": {"sharedId": found}}

    def click(self, expression):
        """Clicks where an element is, as a person does: it has to be visible."""
        for _ in range(5):
            try:
                return self.click_once(expression)
            except BrowserError as error:
                # The page's script may have put another in its place.
                if "no such element" not in str(error) and "is not displayed" not in str(error):
                    raise
        raise Failed(f"{self.browser.name}: {expression} cannot be clicked")

    def click_once(self, expression):
        self.element(f"(found => {{ found?.scrollIntoView({{ block: 'center' }}); return found; }})({expression})")
        self.click_at(0, 0, self.element(expression))

    def click_at(self, x, y, origin="viewport"):
        move = {"type": "pointerMove", "x": x, "y": y, "origin": origin}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.perform({"type": "pointer", "id": "mouse", "actions": [move, *press]})

    def follow(self, expression, what):
        """Clicks something that leads to another page, and waits until that is there."""
        self.await_page(lambda: self.click(expression), what)

    def await_page(self, action, what):
        self.do("() => document.documentElement.dataset.old = 1")
        action()
        self.wait(CHANGED, what)

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.perform({"type": "key", "id": "keyboard", "actions": actions})

    def press_with_shift(self, key):
        pairs = (("keyDown", SHIFT), ("keyDown", key), ("keyUp", key), ("keyUp", SHIFT))
        actions = [{"type": kind, "value": value} for kind, value in pairs]
        self.perform({"type": "key", "id": "keyboard", "actions": actions})

    def perform(self, source):
        self.call("input.performActions", context=self.context, actions=[source])

    def fill(self, expression, text):
        self.click(expression)
        self.press(*text)

    def size(self, width, height):
        self.viewport = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self.context, viewport=self.viewport, devicePixelRatio=1)

    def renew(self):
        """Another window in the place of this one."""
        old, self.context = self.context, self.call("browsingContext.create", type="window")["context"]
        self.call("browsingContext.close", context=old)
        self.size(**self.viewport)

    def picture(self, whole=True):
        """A PNG of the document, or of what the window shows."""
        origin = "document" if whole else "viewport"
        return base64.b64decode(
            self.call("browsingContext.captureScreenshot", context=self.context, origin=origin)["data"]
        )

    def add_authenticator(self):
        """Of a device whose owner always agrees. In Chromium."""
        session = self.call("goog:cdp.getSession", context=self.context)["session"]
        options = {"protocol": "ctap2", "transport": "internal"}
        options |= dict.fromkeys(("hasResidentKey", "hasUserVerification", "isUserVerified"), True)
        for method, params in (("WebAuthn.enable", {}), ("WebAuthn.addVirtualAuthenticator", {"options": options})):
            self.call("goog:cdp.sendCommand", method=method, params=params, session=session)

    def cookies(self):
        return self.call("storage.getCookies")["cookies"]

    def told(self):
        """What has happened since the last time: requests, violations of the policy, and messages of the console."""
        self.browser.bidi.catch_up()
        events, self.browser.bidi.events = self.browser.bidi.events, []
        requests, violations, messages = [], [], []
        for event in events:
            parameters = event["params"]
            match event["method"]:
                case "network.beforeRequestSent":
                    requests.append(parameters["request"]["url"])
                case "script.message" if parameters["channel"] == "violations":
                    violations.append(parameters["data"]["value"])
                case "log.entryAdded":
                    messages.append(f"{parameters['level']}: {parameters['text']}")
        return requests, violations, messages
