"""Files of ntfy and Gotify, as their newest servers make them, are imported: their readers and senders go on here."""

import pathlib
import sqlite3
import tempfile
import time

from place import Judge, name

WORDS = "TEXT NOT NULL DEFAULT ''"
NUMBERS = "INT NOT NULL DEFAULT 0"
# ntfy's cache in version 15, and its users in version 6; the defaults are ours.
MESSAGES = {
    "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
    **dict.fromkeys(("mid", "sequence_id", "event", "topic", "message", "title", "tags", "click", "icon"), WORDS),
    **dict.fromkeys(("actions", "sender", "user", "content_type", "encoding"), WORDS),
    **dict.fromkeys(("attachment_name", "attachment_type", "attachment_url"), WORDS),
    **dict.fromkeys(("attachment_size", "attachment_expires", "attachment_deleted"), NUMBERS),
    **dict.fromkeys(("time", "expires", "priority", "published"), NUMBERS),
}
USER = {
    "id": "TEXT PRIMARY KEY",
    "user": "TEXT NOT NULL UNIQUE",
    "role": "TEXT NOT NULL CHECK (role IN ('anonymous', 'admin', 'user'))",
    **dict.fromkeys(("pass", "prefs", "sync_topic"), WORDS),
    **dict.fromkeys(("provisioned", "created"), NUMBERS),
    "deleted": "INT",
}
ACCESS = {
    **dict.fromkeys(("user_id", "topic"), WORDS),
    **dict.fromkeys(("read", "write", "provisioned"), NUMBERS),
    "owner_user_id": "INT",
    "PRIMARY KEY": "(user_id, topic)",
}
TOKEN = {
    **dict.fromkeys(("user_id", "token", "label", "last_origin"), WORDS),
    **dict.fromkeys(("last_access", "expires", "provisioned"), NUMBERS),
    "PRIMARY KEY": "(user_id, token)",
}
KEY = "integer PRIMARY KEY AUTOINCREMENT"
GOTIFY = {
    "users": {"id": KEY, "name": "varchar(180)", "pass": "blob", "admin": "numeric"},
    "applications": {
        "id": KEY,
        **dict.fromkeys(("token", "name", "description", "image"), "text"),
        **dict.fromkeys(("user_id", "default_priority", "internal"), "integer"),
        "last_used": "datetime",
        "sort_key": "bytes",
    },
    "clients": {"id": KEY, "token": "varchar(180)", "user_id": "integer", "name": "text", "last_used": "datetime"},
    "messages": {
        "id": KEY,
        **dict.fromkeys(("application_id", "priority"), "integer"),
        **dict.fromkeys(("message", "title"), "text"),
        "extras": "blob",
        "date": "datetime",
    },
}


class File:
    """A database of another server."""

    def __init__(self, path, tables):
        self.path, self.connection = path, sqlite3.connect(path)
        self.connection.execute("PRAGMA journal_mode = WAL")
        for table, columns in tables.items():
            listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            self.connection.execute(f"CREATE TABLE {table} ({listed})")

    def add(self, table, **values):
        marks = ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))

    def end(self):
        self.connection.commit()
        self.connection.close()


class Imported:
    def __init__(self, place, judge: Judge):
        self.place, self.judge = place, judge

    def run(self):
        for part in (self.ntfy, self.gotify):
            with tempfile.TemporaryDirectory() as folder:
                self.judge.attempt(part, pathlib.Path(folder))

    def take(self, *words):
        return self.place.server.tell("import", *words)

    def ntfy(self, folder):
        topic, other, now = name(), name(), int(time.time())
        tokens = [f"tk_{letter * 29}" for letter in "ab"]
        cache = File(folder / "cache.db", {"messages": MESSAGES})
        for number, text in enumerate(("first", "second", "read it")):
            row = dict(mid=f"zzzzzzzzzz{number:02}", event="message", time=now - 60 + number, published=1)
            if text == "read it":
                row |= dict(attachment_name="a.txt", attachment_size=5, attachment_expires=now + 900)
                row |= dict(attachment_url="https://ntfy.example.org/file/zzzzzzzzzz02.txt")
            cache.add("messages", topic=topic, message=text, title="T", priority=4, tags="tada,x", **row)
        cache.end()
        (folder / "files").mkdir()
        (folder / "files" / "zzzzzzzzzz02").write_bytes(b"hello")
        users = File(folder / "user.db", {"user": USER, "user_access": ACCESS, "user_token": TOKEN})
        users.add("user", id="u_all", user="*", role="anonymous")
        for letter, token in zip("ab", tokens, strict=True):
            users.add("user", id=f"u_{letter}", user=letter, role="user")
            users.add("user_token", user_id=f"u_{letter}", token=token, label="phone")
        users.add("user_access", user_id="u_a", topic=f"{topic[:-1]}%", read=1, write=1)
        users.add("user_access", user_id="u_b", topic=other.replace("_", "\\_"), read=1)
        users.end()
        settings = folder / "server.yml"
        settings.write_text(
            f'cache-file: "{folder}/cache.db"\nauth-file: "{folder}/user.db"\n'
            f'attachment-cache-dir: "{folder}/files"\nauth-default-access: deny-all\n'
        )
        report = self.take("ntfy", settings)
        found = {row["name"]: row for row in report.get("topics", [])}
        self.judge(found.get(topic, {}).get("messages") == 3 and other in found, "ntfy's topics come", report)
        self.judge({row["topics"] for row in report.get("tokens", [])} == {topic, other}, "narrowed tokens", report)
        self.goes_on(topic, other, *tokens)

    def goes_on(self, topic, other, own, reading):
        """Who had a token has what it opened, and a stream goes on where the former one ended."""
        mine, theirs = self.place.as_(own), self.place.as_(reading)
        read = mine.poll(topic)
        self.judge([event["message"] for event in read] == ["first", "second", "read it"], "messages are read", read)
        with mine.stream(f"/{topic}/json?since=all") as stream:
            told = [stream.event().get("message") for _ in range(4)]
        self.judge(told == [None, "first", "second", "read it"], "a stream has them", told)
        self.judge(read[0]["title"] == "T" and read[0]["tags"] == ["tada", "x"], "all of a message comes", read[0])
        link = read[2].get("attachment", {}).get("url", "").split(str(self.place.port))[-1]
        self.judge(link and self.place.wire.ask("GET", link[link.index("/file") :]).body == b"hello", "a file", link)
        self.judge(mine.ask("PUT", f"/{topic}", b"fourth").status == 200, "its sender goes on")
        since = [event["message"] for event in mine.poll(topic, "&since=zzzzzzzzzz01")]
        self.judge(since == ["read it", "fourth"], "a reader goes on where it was", since)
        # Not what its pattern would open besides, and not what is another's.
        beside = self.place.wire.ask("PUT", f"/{topic[:-1]}-", b"private")
        self.judge(beside.status == 200, "another topic", beside)
        for path in (f"/{topic[:-1]}-", f"/{other}"):
            self.judge(mine.ask("GET", f"{path}/json?poll=1").status == 403, f"a token does not open {path}")
        self.judge(theirs.ask("PUT", f"/{other}", b"x").status == 403, "who could read cannot write")
        self.judge(theirs.ask("GET", f"/{other}/json?poll=1").status == 200, "who could read can read")

    def gotify(self, folder):
        title, date = name(), time.strftime("%Y-%m-%d %H:%M:%S.25+00:00", time.gmtime(time.time() - 60))
        file = File(folder / "gotify.db", GOTIFY)
        file.add("users", name="admin", admin=1)
        application, client = "Aimported012345", "Cimported012345"
        file.add("applications", token=application, user_id=1, name=f"{title} tool", sort_key=b"a0", default_priority=4)
        file.add("clients", token=client, user_id=1, name="phone")
        for number in range(3):
            extras = b'{"x":1}' if number else None
            file.add("messages", application_id=1, message=f"m{number}", title="", priority=8, extras=extras, date=date)
        file.end()
        report = self.take("gotify", folder / "gotify.db")
        found = [(row["name"], row.get("messages")) for row in report.get("topics", [])]
        self.judge(found == [(f"{title}-tool", 3)], "Gotify's application comes", report)
        sent = self.place.as_(None).ask("POST", f"/message?token={application}&message=new")
        self.judge(sent.status == 200, "its sender goes on", sent)
        read = self.place.as_(None).ask("GET", f"/message?token={client}").members or {}
        texts = [message["message"] for message in read.get("messages", [])]
        self.judge(texts == ["new", "m2", "m1", "m0"], "its client reads all of it", read)
