"""Codes that do not log in, cookies that are no session, and sessions that end."""

import concurrent.futures
import time

from people import COOKIE, FORM, UID, cookie_of, encoded
from served import check

# Five minutes and twelve hours, in seconds.
CODE, SESSION = 300, 43_200


def codes(stage, case):
    code = stage.server.code()
    stage.secrets.add(code)

    def attempt(what, body, *fields, kind=FORM, expected=(400, 403)):
        answer = stage.wire.ask("POST", "/ui/login", kind, *fields, body=body)
        case(what, answer, *expected)
        case.holds(f"{what}: no cookie", answer is None or not answer.field("set-cookie"))

    case("the form", stage.wire.ask("GET", "/ui/login"), 200)
    answer = case("a code by GET", stage.wire.ask("GET", f"/ui/login?code={code}"), 200, 303, 400, 404)
    case.holds("a code by GET: no cookie", not answer.field("set-cookie"))
    case("the page without a session", answer := stage.wire.ask("GET", "/ui/"), 303)
    case.holds("it leads to the form", (answer.field("location") or "").endswith("/ui/login"))
    case("what is new without a session", stage.wire.ask("GET", "/ui/live"), 401)
    right = encoded({"code": code})
    attempt("no body", b"")
    attempt("no code", b"other=1")
    attempt("an empty code", b"code=", expected=(403,))
    attempt("the code but for its last character", right[:-1], expected=(403,))
    attempt("the code and one more character", right + b"A", expected=(403,))
    attempt("the code in other letters", encoded({"code": code.swapcase()}), expected=(403,))
    attempt("the code and a NUL", right + b"%00", expected=(400, 403))
    attempt("the code after another", b"code=x&" + right)
    attempt("the code before another", right + b"&code=x")
    attempt("a broken escape", b"code=%zz")
    attempt("no UTF-8", b"code=%ff%fe")
    attempt("64 KiB", b"code=" + b"x" * 2**16, expected=(413,))
    body = b'{"code": "%s"}' % code.encode()
    attempt("JSON", body, kind="Content-Type: application/json", expected=(400, 403, 415))
    attempt("text", right, kind="Content-Type: text/plain", expected=(400, 403, 415))
    attempt("no type", right, kind="X-Nothing: 1", expected=(400, 403, 415))
    parts = b'--a\r\nContent-Disposition: form-data; name="code"\r\n\r\n%s\r\n--a--\r\n' % code.encode()
    attempt("parts", parts, kind="Content-Type: multipart/form-data; boundary=a", expected=(400, 403, 415))
    for what, field in (
        ("another origin", "Origin: https://evil.test"),
        ("another port", f"Origin: https://localhost:{stage.server.port + 1}"),
        ("an origin without a name", "Origin: null"),
        ("another site", "Sec-Fetch-Site: cross-site"),
    ):
        attempt(f"from {what}", right, field, expected=(403,))
    attempt("a bearer in its place", b"", f"Authorization: Bearer {code}")
    for _ in range(40):
        answer = stage.log_in("A" * len(code))
        check(answer.status in (403, 429), f"a guess is refused: {answer.status}")
    case("forty guesses", stage.log_in("B" * len(code)), 403, 429)
    chosen = "C" * len(stage.administrator.cookie)
    answer = case("the code, with a cookie of somebody's choice", stage.log_in(code, f"Cookie: {COOKIE}={chosen}"), 303)
    if answer.status == 303:
        case.holds("the cookie is a new one", cookie_of(answer) != chosen)
        stage.secrets.add(cookie_of(answer))
    case("the chosen cookie", stage.wire.ask("GET", "/ui/live", f"Cookie: {COOKIE}={chosen}"), 401)
    case("the code again", stage.log_in(code), 403)
    fixed = stage.server.code()
    answer = case("a code with somebody's session", stage.log_in(fixed, stage.user.header), 303)
    if answer.status == 303:
        case.holds("the session is a new one", cookie_of(answer) != stage.user.cookie)
        stage.secrets.add(cookie_of(answer))
    if stage.user.is_logged_in:
        page = stage.user.get("/ui/live")
        case.holds("that session stays what it was", "device of 0" not in page.text)
    else:
        stage.user.log_in()
    raced = stage.server.code()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: stage.log_in(raced), range(8)))
    statuses = sorted(answer.status for answer in answers)
    case.holds(f"one of eight at once logs in: {statuses}", statuses == [303] + [403] * 7)
    case("the code of eight at once", stage.log_in(raced), 403)


def cookies(stage, case):
    value = stage.administrator.cookie
    for what, cookie in (
        ("made up", f"{COOKIE}={'A' * len(value)}"),
        ("empty", f"{COOKIE}="),
        ("too short", f"{COOKIE}={value[:-1]}"),
        ("too long", f"{COOKIE}={value}A"),
        ("of 6,000 bytes", f"{COOKIE}={value}{'A' * 6_000}"),
        ("in other letters", f"{COOKIE}={value.swapcase()}"),
        ("under another name", f"bellwire={value}"),
        ("under its name in small letters", f"{COOKIE.lower()}={value}"),
        ("named at the end", f"a{COOKIE}={value}"),
        ("in the value of another", f"a={COOKIE}={value}"),
        ("without a name", value),
    ):
        case(f"a cookie {what}", stage.wire.ask("GET", "/ui/live", f"Cookie: {cookie}"), 401)
    header = stage.administrator.header
    case("a cookie among others", stage.wire.ask("GET", "/ui/live", header.replace(": ", ": a=b; ", 1) + "; c=d"), 200)
    # A browser never sends two of that name.
    two = f"Cookie: {COOKIE}=A; {COOKIE}={value}"
    case("two cookies of that name", stage.wire.ask("GET", "/ui/live", two), 200, 400, 401)
    case("the session as a bearer", stage.wire.ask("GET", "/ui/live", f"Authorization: Bearer {value}"), 401)
    case("the session in the address", stage.wire.ask("GET", f"/ui/live?{COOKIE}={value}"), 303, 401, 404)


def times(stage, case):
    """The machine sleeps, and what has a time ends."""
    body = encoded(stage.administrator.adding(name="late"))
    code, late = stage.server.code(), stage.server.code()
    stage.meddler.set(slept=CODE - 10)
    case("a code shortly before its end", answer := stage.log_in(code), 303)
    cookie = cookie_of(answer)
    stage.meddler.set(slept=CODE + 10)
    case("a code after its end", stage.log_in(late), 403)
    header = f"Cookie: {COOKIE}={cookie}"
    stage.meddler.set(slept=SESSION + CODE - 60)
    case("a session shortly before its end", stage.wire.ask("GET", "/ui/live", header), 200)
    stage.meddler.set(slept=SESSION + CODE + 10)
    case("a session after its end", stage.wire.ask("GET", "/ui/live", header), 401)
    case("the page after its end", stage.wire.ask("GET", "/ui/", header), 303)
    case("a form after its end", stage.administrator.send("/ui/devices", body), 303, 401, 403)
    for person in (stage.administrator, stage.user):
        person.log_in()


def rights_end(stage, case):
    """The configuration no longer lets users of this machine in."""
    unused, form = stage.server.code(UID), stage.user.adding(name="late")
    stage.server.configure(local_users=False)
    time.sleep(1)
    case("a user's session a second later", stage.user.get("/ui/live"), 401)
    case("a user's page", stage.user.get("/ui/"), 303)
    case("a user's form", stage.user.post("/ui/devices", form), 303, 401, 403)
    case("a user's code", stage.log_in(unused), 403)
    case("the administrator's session", stage.administrator.get("/ui/live"), 200)
    stage.server.configure(local_users=True)
    time.sleep(1)
    case("a user's session when they are let in again", stage.user.get("/ui/live"), 401)
    stage.user.log_in()
