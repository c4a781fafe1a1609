"""Requests with other origins, methods, paths and header fields than those of the page, in HTTP/1.1 and HTTP/2."""

import ssl

import httpx
from people import CONTENT, COOKIE, FORM, encoded
from wire import Answer

ADD = "/ui/devices"


def origins(stage, case):
    """A right session and a right token from the wrong place."""
    person, port = stage.administrator, stage.server.port
    form = person.adding(name="x")
    for what, fields in (
        ("another host", ["Origin: https://evil.test"]),
        ("our name at another port", [f"Origin: https://localhost:{port + 1}"]),
        ("our name inside another", [f"Origin: https://localhost:{port}.evil.test"]),
        ("a name before ours", [f"Origin: https://evil.localhost:{port}"]),
        ("nowhere", ["Origin: null"]),
        ("an empty origin", ["Origin: "]),
        ("another site", ["Sec-Fetch-Site: cross-site"]),
        ("another site with our origin", [f"Origin: https://localhost:{port}", "Sec-Fetch-Site: cross-site"]),
        ("a link of another site", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]),
        ("another port of our site", ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate"]),
        ("two origins", [f"Origin: https://localhost:{port}", "Origin: https://evil.test"]),
    ):
        case(f"a form from {what}", person.post(ADD, form, *fields), 400, 403)
    for target in ("/ui/", "/ui/status", "/ui/live", "/ui/messages", "/ui/login", "/ui/script.js"):
        case(f"GET {target} for another origin", person.get(target, "Origin: https://evil.test"), 403)
        case(f"GET {target} for another site", person.get(target, "Sec-Fetch-Site: cross-site"), 403)
    # A link to the page is no harm: the browser keeps the cookie back.
    followed = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
    case("a link of another site", stage.wire.ask("GET", "/ui/", *followed), 303)
    for host in ("evil.test", f"evil.test:{port}", f"localhost.evil.test:{port}", "", "localhost@evil.test", "0.0.0.0"):
        answer = person.get("/ui/", host=host or " ")
        case(f"GET for the host {host or 'of no name'}", answer, 400, 421)
        case(f"a form for the host {host or 'of no name'}", person.post(ADD, form, host=host or " "), 400, 421)
    answer = case("no sharing with other origins", person.get("/ui/live", f"Origin: https://localhost:{port}"), 200)
    case.holds("no CORS field", not any(name.startswith("access-control-") for name, _ in answer.fields))
    asked = ["Origin: https://evil.test", "Access-Control-Request-Method: POST"]
    case("what a browser asks first", stage.wire.ask("OPTIONS", ADD, *asked), 403, 404, 405)


def methods(stage, case):
    person = stage.administrator
    for target, fields in [*stage.targets(0), (ADD, {"name": "x"}), ("/ui/logout", {})]:
        fields = encoded(fields | {"csrf": person.csrf}).decode()
        # Before a topic ends, a page asks.
        asks = target.startswith("/ui/topics/") and target.endswith("/remove")
        case(f"GET {target.rpartition('/')[2]}", person.get(f"{target}?{fields}"), *((200,) if asks else (404, 405)))
    body = encoded(person.adding(name="x"))
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "post", "CONNECT", "POSTS"):
        answer = person.send(ADD, body, method=method)
        case(f"{method} a form", answer, 400, 404, 405, 501)
        answer = person.send(ADD, body, "X-HTTP-Method-Override: POST", method=method)
        case(f"{method} with another method in a field", answer, 400, 404, 405, 501)
    for target in ("/ui/", "/ui/status", "/ui/live", "/ui/messages/stream", "/ui/script.js"):
        case(f"POST {target}", person.send(target, body), 404, 405)


def paths(stage, case):
    """Only the one spelling of a path is a form. The number of a device has one spelling, too."""
    person, device = stage.administrator, stage.things[0]["device"]
    registration = stage.things[0]["registration"]
    body = encoded({"csrf": person.csrf})
    for path in (
        f"//ui/devices/{device}/remove",
        f"/ui//devices/{device}/remove",
        f"/ui/./devices/{device}/remove",
        f"/ui/x/../devices/{device}/remove",
        f"/ui/%2e/devices/{device}/remove",
        f"/ui/x/%2e%2e/devices/{device}/remove",
        f"/%75i/devices/{device}/remove",
        f"/ui/devices/{device}%2fremove",
        f"/ui/devices/{device}/remove/",
        f"/ui/devices/{device};a/remove",
        f"/ui/devices/{device}/remove;a=b",
        f"/UI/devices/{device}/remove",
        f"/ui/devices/+{device}/remove",
        f"/ui/devices/%20{device}/remove",
        f"/ui/devices/{device + 2**32}/remove",
        f"/ui/devices/{device + 2**64}/remove",
        "/ui/devices/-1/remove",
        "/ui/devices//remove",
        f"/ui/devices/{device}",
        f"/ui/devices/{device}/remove%00",
        f"/ui\\devices\\{device}\\remove",
        f"/ui/registrations/{registration.swapcase()}/revoke",
        f"/ui/registrations/{registration[:-1]}/revoke",
        f"/ui/registrations/{registration}=/revoke",
        f"/ui/registrations/%{ord(registration[0]):02x}{registration[1:]}/revoke",
        f"/ui/registrations/../devices/{device}/remove",
        "/ui/registrations//revoke",
        f"/ui/accounts/{registration}/../{registration}/mute",
    ):
        case(f"POST {path}", person.send(path, body), 400, 404, is_page=path.startswith("/ui/"))
    for path in (
        "/ui",
        "/ui/..",
        "/ui/../",
        "/ui/%2e%2e/",
        "/ui/index.html",
        "/ui/script.js/",
        "/ui/../../etc/passwd",
        "/ui/.",
    ):
        case(f"GET {path}", person.get(path), 200, 303, 308, 400, 404, shows=CONTENT, is_page=False)


def headers(stage, case):
    """Two fields where one belongs, and requests whose end is not clear."""
    person, port, wire = stage.administrator, stage.server.port, stage.wire
    host, end = f"Host: localhost:{port}", "\r\n\r\n"
    body = encoded(person.adding(name="x"))

    def send(target, *fields, method="POST", body=body):
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *fields, "Connection: close"]) + end
        return wire.send(head.encode("latin-1") + body)

    length = f"Content-Length: {len(body)}"
    usual = (person.header, FORM)
    case("two hosts", send(ADD, host, "Host: evil.test", *usual, length), 400, 421)
    case("two hosts, ours last", send(ADD, "Host: evil.test", host, *usual, length), 400, 421)
    case("no host", send(ADD, *usual, length), 400, 421)
    case("another host in the target", send(f"https://evil.test{ADD}", host, *usual, length), 400, 404, 421)
    other = send(ADD, "Host: evil.test", f"X-Forwarded-Host: localhost:{port}", *usual, length)
    case("our host as that of a proxy", other, 400, 421)
    case("two lengths", send(ADD, host, *usual, length, "Content-Length: 0"), 400)
    case("a length and chunks", send(ADD, host, *usual, length, "Transfer-Encoding: chunked"), 400)
    case("a negative length", send(ADD, host, *usual, "Content-Length: -1"), 400)
    case("a length that is no number", send(ADD, host, *usual, "Content-Length: 0x10"), 400)
    case("a blank before the colon", send(ADD, host, *usual, length, "Origin : https://localhost"), 400)
    case("a folded line", send(ADD, host, *usual, length, "X-A: a\r\n b"), 400)
    case("a bare line feed", send(ADD, host, *usual, length, "X-A: a\nCookie: b"), 400)
    case("a NUL in a field", send(ADD, host, *usual, length, "X-A: a\0b"), 400)
    split = (host, "Cookie: a=b", person.header)
    case("two lines of cookies", send("/ui/live", *split, method="GET", body=b""), 200, 400, 401)
    two = (host, f"Cookie: {COOKIE}=A", person.header)
    case("two lines of that cookie", send("/ui/live", *two, method="GET", body=b""), 200, 400, 401)
    case("a field of 100 KB", send(ADD, host, *usual, length, f"X-A: {'a' * 100_000}"), 0, 400, 431)
    case(
        "HTTP/1.0 with a foreign host", wire.send(f"GET /ui/ HTTP/1.0\r\nHost: evil.test{end}".encode()), 400, 421, 505
    )
    case("a plain connection", stage.plain.ask("GET", "/ui/live", host=f"localhost:{stage.server.plain_port}"), 401)
    case("rebinding over a plain connection", stage.plain.ask("GET", "/ui/login", host="evil.test"), 421)


def http2(stage, case):
    """The same by HTTP/2, whose requests have no lines."""
    person, base = stage.administrator, stage.server.base
    usual = {"Cookie": f"{COOKIE}={person.cookie}"}
    # The library changes what it is given.
    context = ssl.create_default_context(cafile=stage.server.authority)
    with httpx.Client(http2=True, verify=context, trust_env=False, timeout=15) as client:

        def ask(method, target, data=None, **fields):
            named = usual | {name.replace("_", "-"): value for name, value in fields.items()}
            answer = client.request(method, base + target, data=data, headers=named)
            case.holds("it is HTTP/2", answer.http_version == "HTTP/2")
            fields = [(name.lower(), value) for name, value in answer.headers.multi_items()]
            return Answer(answer.status_code, fields, answer.content)

        form = person.adding(name="x")
        case("the page", ask("GET", "/ui/status"), 200)
        case("the messages", ask("GET", "/ui/"), 200, shows=CONTENT)
        case("what is new", ask("GET", "/ui/live"), 200)
        case("another host", ask("GET", "/ui/", Host="evil.test"), 421)
        case("another origin", ask("POST", ADD, form, Origin="https://evil.test"), 403)
        case("another site", ask("POST", ADD, form, Sec_Fetch_Site="cross-site"), 403)
        case("no token", ask("POST", ADD, {"name": "x"}), 403)
        case("another's token", ask("POST", ADD, {"name": "x", "csrf": stage.user.csrf}), 403)
        case("a made-up cookie", ask("GET", "/ui/live", Cookie=f"{COOKIE}=AAAA"), 401)
        case("no form's type", ask("POST", ADD, form, Content_Type="text/plain"), 400, 403, 415)
        for target, fields in stage.targets(0):
            wrong = {name: str(value) for name, value in fields.items()} | {"csrf": stage.user.csrf}
            case(f"{target.rpartition('/')[2]} with another's token", ask("POST", target, wrong), 403)
        case("a code that is none", ask("POST", "/ui/login", {"code": "A" * 22}), 403)
        case("a cookie in two fields", two_cookies(client, base, person), 200, 400, 401)


def two_cookies(client, base, person):
    """HTTP/2 may send each cookie in a field of its own."""
    fields = [("cookie", "a=b"), ("cookie", f"{COOKIE}={person.cookie}")]
    answer = client.get(f"{base}/ui/live", headers=fields)
    return Answer(answer.status_code, [(name.lower(), value) for name, value in answer.headers.multi_items()])
