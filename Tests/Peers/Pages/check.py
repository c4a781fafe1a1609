"""The status page in Debian's Chromium and Firefox: what people do there, with scripts and without, and what pages of
others try.

usage: tools/lib/alone check.py PATH_OF_BELLWIRE [--pictures FOLDER] [--only VISIT]

--pictures writes pictures of the page for the documents.
"""

import argparse
import concurrent.futures
import functools
import pathlib
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Peers/Firefox")

import pictures
from actions import HOSTILE, TURNED, Person
from browsers import Chromium, Firefox
from foreign import Attacks, Foreign
from looks import DESK, EXTREMES, PHONE, Looks
from served import Server
from tab import Tab


class Visit:
    """One browser on the page of one server."""

    def __init__(self, server, browser, preferences):
        self.server = server
        self.browser = browser(server.folder, preferences)
        self.tab = self.person = self.looks = None

    def start(self):
        self.browser.trust(self.server.authority)
        self.browser.start()
        self.tab = Tab(self.browser)
        self.tab.size(*DESK)
        self.person = Person(self.server, self.tab, self.browser.name)
        self.looks = Looks(self.person)

    def end(self):
        self.browser.end()

    def use(self):
        """Everything that the page is for, with scripts."""
        person = self.person
        person.prepare()
        person.log_in()
        person.read_messages()
        person.mark_messages()
        person.answer_questions()
        person.press_buttons()
        person.scroll()
        person.read()
        person.see_push()
        person.send_test()
        person.pause()
        person.mute()
        self.add_device()
        self.use_topics()
        person.revoke()
        if person.name == "chromium":
            person.use_passkey()
        person.was_quiet()

    def add_device(self):
        person, name = self.person, f"{HOSTILE} {self.browser.name}"
        address = person.add_device(name)
        self.looks.scan(self.tab.picture(), address)
        self.looks.judge("a new device")
        person.shown_once(address, name)
        person.remove_device(address, name)

    def use_topics(self, has_scripts=True):
        person, name = self.person, f"by-hand-{self.browser.name}"
        address = person.use_topics(name, has_scripts)
        self.looks.scan(self.tab.picture(), address)
        if has_scripts:
            self.looks.judge("a new token")
        person.look_after_topic(name)

    def look(self):
        """Every page, on a desk and on a phone."""
        tab, person, looks = self.tab, self.person, self.looks
        for width, height in (DESK, PHONE):
            tab.size(width, height)
            for path in self.paths:
                tab.open(f"{person.base}/ui/{path}")
                tab.wait("document.readyState == 'complete'", "the page")
                looks.judge(f"/ui/{path[:8]} at {width} pixels")
                looks.walk(f"/ui/{path[:8]} at {width} pixels")
        for width, height in EXTREMES:
            tab.size(width, height)
            for path in self.paths:
                tab.open(f"{person.base}/ui/{path}")
                looks.fit(f"/ui/{path[:8]} at {width} pixels")
        tab.size(*DESK)
        person.was_quiet()

    @property
    def paths(self):
        topic = f"topics/{self.person.news['id']}"
        return "", "topics", topic, f"{topic}/remove", "status", "access", f"accounts/{self.person.alerts['id']}"

    def look_at_login(self):
        for width, height in (PHONE, DESK):
            self.tab.size(width, height)
            self.tab.open(f"{self.person.base}/ui/login")
            self.looks.judge(f"/ui/login at {width} pixels")
            self.looks.walk(f"/ui/login at {width} pixels")

    def look_in_the_dark(self):
        self.looks.dark(True)
        self.look()
        self.person.check(is_dark(self.tab), "the page is dark")
        self.looks.dark(False)

    def switch_scripts_off(self):
        """In Chromium; Firefox has to be told when it starts."""
        self.tab.call("emulation.setScriptingEnabled", contexts=[self.tab.context], enabled=False)
        self.person.name += " without scripts"

    def read_german(self):
        tab, person = self.tab, self.person
        tab.open(f"{person.base}/ui/login")
        person.check(tab.value("document.documentElement.lang") == "de", "the page is German")
        person.check("Anmelden" in tab.value("document.body.textContent"), "its words are German")
        person.check(is_dark(tab), "the page is dark")

    def be_attacked(self):
        attacks = Attacks(self.person, Foreign(self.server.certificate))
        attacks.all()
        attacks.inject()
        device = self.server.tell("device", "add", HOSTILE)["id"]
        heard = self.server.tell("topic", "add", HOSTILE)["id"]
        self.server.alert(self.person.alerts["endpoint"], f"{HOSTILE} {TURNED}", "x", number=8)
        attacks.show("status", HOSTILE)
        attacks.show("topics", HOSTILE)
        attacks.show(f"accounts/{self.person.alerts['id']}", HOSTILE, "gnp.exe")
        self.server.run("device", "remove", str(device))
        self.server.run("registration", "revoke", heard)
        self.tab.told()

    def log_out(self):
        self.person.log_out()
        self.look_at_login()
        self.person.was_quiet()

    def go_without_scripts(self):
        """The same by forms and links alone."""
        person = self.person
        person.prepare()
        person.log_in_by_hand()
        self.server.push(person.news["endpoint"], "harvest by hand", HOSTILE)
        person.find_messages("harvest by hand")
        person.mark_messages(has_scripts=False)
        person.answer_questions(has_scripts=False)
        person.press_buttons()
        person.read()
        person.send_test()
        person.pause()
        person.mute()
        name = f"plain {self.browser.name}"
        address = person.add_device(name)
        self.looks.scan(self.tab.picture(), address)
        person.shown_once(address, name)
        person.remove_device(address, name)
        self.use_topics(has_scripts=False)
        person.log_out()
        person.was_quiet()


def chromium(visit):
    return [
        visit.use,
        visit.look,
        visit.look_in_the_dark,
        visit.be_attacked,
        visit.log_out,
        visit.switch_scripts_off,
        visit.go_without_scripts,
    ]


def firefox(visit):
    return [visit.use, visit.look, visit.be_attacked, visit.log_out]


def firefox_without_scripts(visit):
    """And in German, and in the dark."""
    return [visit.go_without_scripts, visit.read_german]


def is_dark(tab):
    """Whether the text is lighter than what is behind it."""
    return tab.value(
        "(sum => sum(getComputedStyle(document.body).color) > 382)"
        "(color => color.match(/[\\d.]+/g).slice(0, 3).reduce((all, part) => all + Number(part), 0))"
    )


NO_SCRIPTS = {
    "javascript.enabled": False,
    "layout.css.prefers-color-scheme.content-override": 0,
    "intl.accept_languages": "de-DE, de, en",
}
VISITS = (
    ("chromium", chromium, Chromium, {}),
    ("firefox", firefox, Firefox, {}),
    ("firefox-without-scripts", firefox_without_scripts, Firefox, NO_SCRIPTS),
)


def visited(program, name, steps, browser, preferences):
    """Whether all steps of a visit were done. It has a server of its own, because others visit at the same time."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(program, pathlib.Path(folder))
        visit, step = Visit(server, browser, preferences), server.start
        try:
            for step in (server.start, visit.start, *steps(visit), server.stop):
                before = time.monotonic()
                step()
                print(
                    f"pages: {name}: {getattr(step, '__name__', 'take')} {time.monotonic() - before:.1f} s", flush=True
                )
            print(f"pages: {name}: version {visit.browser.version}, {visit.looks.rules} rules of axe", flush=True)
            return True
        except Exception as error:
            print(f"pages: FAILED: {name}: {getattr(step, '__name__', 'take')}: {error!r}", flush=True)
            print(server.log.read_text(errors="replace")[-2000:])
            return False
        finally:
            visit.end()
            server.kill()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--only", choices=[name for name, *_ in VISITS])
    arguments = parser.parse_args()
    began = time.monotonic()
    visits = [visit for visit in VISITS if arguments.only in (None, visit[0])]
    if arguments.pictures:
        visits = [
            ("pictures", lambda visit: [functools.partial(pictures.take, visit, arguments.pictures)], Chromium, {})
        ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        passed = all(list(pool.map(lambda visit: visited(arguments.program, *visit), visits)))
    print(f"pages: {'passed' if passed else 'FAILED'} in {time.monotonic() - began:.0f} s")
    return 0 if passed else 1


sys.exit(main())
