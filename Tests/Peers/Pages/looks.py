"""How the pages look and are used by people who see little, or have no mouse: axe's rules, the way of the Tab key, and
what fits on the screen of a phone."""

import importlib.resources
import subprocess

from tab import TAB

# From the package axe-playwright-python, whose other parts are not used.
AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
DESK, PHONE = (1100, 900), (360, 740)
# The narrowest and the widest window that a page has to fit.
EXTREMES = (320, 600), (2560, 1440)
FOCUSED = """(() => {
    const found = document.activeElement;
    if (!found || found == document.body || found == document.documentElement) return null;
    const style = getComputedStyle(found), box = found.getBoundingClientRect();
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
    return {
        place: all.indexOf(found),
        name: found.tagName + " " + (found.textContent || found.name || "").trim().slice(0, 30),
        isMarked: style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow != "none",
        isSeen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    };
})()"""
# What can be reached: a hidden element, or one in a closed part, cannot.
REACHABLE = """[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter(found => !found.disabled && found.tabIndex >= 0 && found.checkVisibility()).length"""

# What axe found, and what it could not decide. Contrast is measured on its own.
JUDGE = """() => axe.run(document, { resultTypes: ["violations", "incomplete"] }).then(result => ({
    rules: result.passes.length,
    bad: [...result.violations, ...result.incomplete.filter(rule => rule.id != "color-contrast")].map(rule =>
        `${rule.id}: ${rule.help}: ${rule.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(" | ")}`),
}))"""
# Text whose colour differs too little from what is behind it (WCAG 2.2, success criterion 1.4.3; none of our text is
# large). Unlike axe, it also measures what a table has scrolled out of the window. Each background has one colour.
FAINT = """(() => {
    const parts = color => color.match(/[\\d.]+/g).map(Number);
    const light = color => parts(color).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const behind = found => {
        for (; found; found = found.parentElement) {
            const color = getComputedStyle(found).backgroundColor;
            if ((parts(color)[3] ?? 1) == 1) return color;
        }
        return "rgb(255, 255, 255)";
    };
    const faint = [];
    let count = 0;
    for (const found of document.body.querySelectorAll("*")) {
        const text = [...found.childNodes].some(node => node.nodeType == 3 && node.data.trim());
        if (!text || found.closest("svg, script, noscript") || !found.checkVisibility()) continue;
        const [low, high] = [light(getComputedStyle(found).color), light(behind(found))].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05);
        count += 1;
        if (ratio < 4.5) faint.push(ratio.toFixed(2) + " " + found.outerHTML.slice(0, 100));
    }
    return { count, faint };
})()"""


class Looks:
    def __init__(self, person):
        self.person, self.tab = person, person.tab
        self.rules = 0

    def check(self, condition, what):
        self.person.check(condition, what)

    def dark(self, is_dark):
        """For Chromium; Firefox has to be told when it starts."""
        call, context = self.tab.call, self.tab.context
        session = call("goog:cdp.getSession", context=context)["session"]
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        call(
            "goog:cdp.sendCommand", method="Emulation.setEmulatedMedia", params={"features": [scheme]}, session=session
        )

    def judge(self, what):
        """No rule of axe is broken, and none is left open."""
        self.tab.value(f"(() => {{ {AXE} }})()")
        found = self.tab.run(f"({JUDGE})()")
        self.check(not found["bad"], f"axe about {what}: " + "; ".join(found["bad"]))
        self.rules = max(self.rules, found["rules"])
        measured = self.tab.value(FAINT)
        self.check(measured["count"] > 5 and not measured["faint"], f"contrast of {what}: {measured}")
        self.fit(what)

    def fit(self, what):
        """Nothing makes the page wider than the window; a table may be moved by itself."""
        wide = self.tab.value("document.documentElement.scrollWidth - innerWidth")
        self.check(wide <= 0, f"{what} is {wide} pixels too wide")

    def walk(self, what):
        """By Tab through everything that can be used, in its order in the page, each with a mark, and out again."""
        tab = self.tab
        reachable = tab.value(REACHABLE)
        tab.do("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        places = []
        for _ in range(reachable + 20):
            tab.press(TAB)
            focused = tab.value(FOCUSED)
            if focused is None or focused["place"] in places:
                break
            self.check(focused["isMarked"], f"{what}: the focus is seen on {focused['name']}")
            self.check(focused["isSeen"], f"{what}: {focused['name']} is on the screen")
            places.append(focused["place"])
        self.check(places == sorted(places), f"{what}: Tab goes in the order of the page: {places}")
        self.check(len(places) >= reachable, f"{what}: Tab reaches {len(places)} of {reachable}")
        self.check(focused is None or focused["place"] == places[0], f"{what}: Tab leads out again: {focused}")
        if tab.browser.name == "firefox" and not tab.value("document.hasFocus()"):
            # In Firefox's own buttons; without a screen, it does not come back from there.
            tab.renew()

    def scan(self, picture, address):
        """A phone reads the QR code from the screen."""
        path = self.person.server.folder / "code.png"
        path.write_bytes(picture)
        done = subprocess.run(
            ["zbarimg", "--nodbus", "--quiet", "--raw", path], capture_output=True, text=True, timeout=30
        )
        secret = address.rpartition("/")[2]
        self.check(
            done.stdout.strip().endswith(secret), f"the QR code can be read: {done.returncode} {done.stderr[:200]}"
        )
