"""What sends to webhooks of Slack and Discord, and what answers it: rows as those of ntfy's programs."""

import json

from expected import Crossed
from gotify_rows import form
from table import MULTIPART, PNG, ask, multipart
from wire import JSON

OK = Crossed(200, type="text/plain", body=b"ok")
TAKEN = Crossed(204, body=b"")


class Said(Crossed):
    """A refusal of Slack: a word, behind which there may be advice."""

    def __init__(self, word, *statuses):
        super().__init__(*statuses, type="text/plain")
        self.word = word

    def wrong(self, answer):
        yield from super().wrong(answer)
        if answer.body.split(b":")[0] != self.word.encode():
            yield f"the body is {answer.body[:80]!r} and not {self.word}"


def told(code, *statuses):
    """An error of Discord."""
    return Crossed(*statuses, type=JSON, code=code, message=lambda text: isinstance(text, str) and text)


def rows(place):
    many = place.token("hooks", "--write")
    one = place.token("hook", "--topic", "shared-a", "--write")
    for token, query in ((one, ""), (many, "?topic=shared-a")):
        slack, discord = f"/hooks/slack/{token}{query}", f"/hooks/discord/{token}{query}"
        for row in (*of_slack(slack), *of_discord(discord)):
            yield ("hooks", *row)
    for row in refused(place, one, many):
        yield ("hooks", *row)


def of_slack(path):
    text = json.dumps({"text": "hi"})
    parts = json.dumps({"username": "bot", "attachments": [{"title": "T", "fallback": "f"}]})
    blocks = json.dumps({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*hi*"}}]})
    for body in (text, parts, blocks):
        # With and without a type, and as curl sends it with -d.
        for kind in (JSON, None, "application/x-www-form-urlencoded"):
            yield ask("POST", path, body, Content_Type=kind, Authorization=None), OK
        yield ask("POST", path, form(payload=body), Content_Type="application/x-www-form-urlencoded"), OK
    yield ask("POST", path, "{}"), Said("no_text", 400)
    yield ask("POST", path, "{"), Said("invalid_payload", 400)
    yield ask("GET", path), Said("method_not_allowed", 405)
    # A page knows the address as well as anybody, and nothing else of it counts.
    foreign = dict(Origin="https://example.org", Sec_Fetch_Site="cross-site", Authorization="Bearer wrong")
    yield ask("POST", path, text, **foreign), OK
    yield ask("OPTIONS", path), Crossed(200)


def of_discord(path):
    content = {"content": "**hi**", "embeds": [{"title": "T", "description": "D"}]}
    text, (start, _, query) = json.dumps(content), path.partition("?")
    yield ask("POST", path, text, Content_Type=JSON), TAKEN
    yield ask("POST", path, multipart(payload_json=text), Content_Type=MULTIPART), TAKEN
    yield ask("POST", path, multipart(payload_json=text, file=PNG), Content_Type=MULTIPART), TAKEN
    yield ask("POST", path, form(content="hi"), Content_Type="application/x-www-form-urlencoded"), TAKEN
    shown = Crossed(200, type=JSON, content="**hi**\nD", id=str.isdigit, embeds=[])
    yield ask("POST", f"{start}?wait=true&{query}", text, Content_Type=JSON), shown
    below = path.replace("?", "/slack?") if query else f"{path}/slack"
    yield ask("POST", below, json.dumps({"text": "hi"}), Content_Type=JSON), OK
    yield ask("POST", below, "{", Content_Type=JSON), told(50109, 400)
    yield ask("POST", path, '{"content":""}', Content_Type=JSON), told(50006, 400)
    yield ask("GET", path), told(0, 405)


def refused(place, one, many):
    text, content = json.dumps({"text": "hi"}), json.dumps({"content": "hi"})
    for token in ("tk_" + "a" * 29, "x", place.credential):
        yield ask("POST", f"/hooks/slack/{token}", text), Said("invalid_token", 403)
        yield ask("POST", f"/hooks/discord/{token}", content), told(50027, 401)
    yield ask("POST", f"/hooks/slack/{place.read}", text, Content_Type=JSON), Said("channel_not_found", 404)
    yield ask("POST", f"/hooks/slack/{place.read}?topic=shared-a", text), Said("action_prohibited", 403)
    yield ask("POST", f"/hooks/slack/{one}?topic=elsewhere", text), Said("action_prohibited", 403)
    yield ask("POST", f"/hooks/slack/{many}", text), Said("channel_not_found", 404)
    yield ask("POST", f"/hooks/discord/{many}", content), told(10003, 404)
    yield ask("POST", "/hooks/slack", text), Said("no_service", 404)
    yield ask("POST", f"/hooks/discord/{one}/x", content), told(10015, 404)
