"""Bellwire, as it is shipped: `bellwire serve` on loopback, seen by its sockets.

The program is $BELLWIRE, or the release build of this checkout, or the debug build, or the one on PATH.
"""

import json
import os
import pathlib
import queue
import select
import shutil
import subprocess
import tempfile
import threading
import time

import kit.server
from adapter import Adapter, request
from kit import control
from kit.coding import decode, encode
from kit.webserver import Handler, Listening

ROOT = pathlib.Path(__file__).resolve().parents[3]


def program():
    for place in (os.environ.get("BELLWIRE"), ROOT / ".build/release/bellwire", ROOT / ".build/debug/bellwire"):
        if place and pathlib.Path(place).exists():
            return str(place)
    if found := shutil.which("bellwire"):
        return found
    raise FileNotFoundError("there is no program bellwire; build it with deploy/run, or name it in BELLWIRE")


class Server(Adapter):
    name = "bellwire"

    def __init__(self):
        self.bellwire = program()
        self.served, self.readers, self.accounts, self.engines = None, {}, {}, {}

    def version(self):
        output = subprocess.run([self.bellwire, "version"], capture_output=True, text=True, timeout=10, check=True)
        return output.stdout.split("\n")[0]

    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        self.hook = Listening(Hook)
        self.served = kit.server.Server(self.bellwire, self.folder.name).start()
        self.socket = str(self.served.socket)

    def stop(self):
        for engine in self.engines.values():
            engine.close()
        for reader in self.readers.values():
            reader.terminate()
            reader.wait(10)
        if self.served:
            self.served.stop()
            self.hook.shutdown()
            self.folder.cleanup()

    def restart(self):
        for engine in self.engines.values():
            engine.close()
        self.engines = {}
        self.served.kill()
        self.served.start()

    # Endpoints

    def register(self, dialect, **terms):
        account = terms.get("account") or f"{dialect}{len(self.accounts)}"
        members = {"token_type": 10 if terms.get("keys", True) else 4, "app": dialect, "account": account}
        names = {"user": "user_id", "others": "other_user_ids", "mode": "notify_mode", "timeout": "session_timeout"}
        for name in ("user", "others", "mode", "timeout", "presentation", "app_id"):
            if name in terms:
                members[names.get(name, name)] = terms[name]
        if dialect in ("icq", "zpns", "matrix"):
            members["trust_clear"] = True
        if terms.get("sealed"):
            members["secret"] = "new"
        if "secret" in terms:
            members["secret"] = encode(bytes.fromhex(terms["secret"]))
        if terms.get("callback"):
            members["callback"] = self.hook.url
        answer = self.served.ask("POST", "registrations", members)
        self.accounts.setdefault(account, dialect)
        self.engine(account)
        made = {"id": answer["id"], "account": account, "endpoint": answer["endpoint"], "token": answer["token"]}
        made["refresh_after"] = answer["refresh_after"]
        made.update(answer.get("keys") or {})
        if terms.get("sealed"):
            made["secret"] = decode(answer["register_device"]["secret"]).hex()
        return made

    def received(self, id):
        messages = self.served.ask("POST", "fetched", {"registration": id})["messages"]
        # A fetch signal has a count and no payload.
        return [decode(message["payload"]).decode() for message in messages if "count" not in message]

    def signals(self, id):
        messages = self.served.ask("POST", "fetched", {"registration": id})["messages"]
        return sum(message.get("count", 0) for message in messages)

    def revoke(self, id):
        self.served.ask("DELETE", f"registrations/{id}")

    def events(self, id, count):
        return Hook.first(id, count)

    def presence(self, id):
        answer = self.served.ask("GET", f"sources/{id}")
        return {"online": answer["online"], "mobile": answer["mobile"]}

    def other_client(self, id, mobile):
        self.served.ask("POST", f"sources/{id}/active", {"mobile": mobile})

    # The screen

    def engine(self, account):
        if account not in self.engines:
            self.engines[account] = Engine(self.socket, self.accounts[account], account)
        return self.engines[account]

    def shown(self, account):
        # What was accepted before this request is on the screen when it is answered.
        self.engine(account).ask({"@type": "bellwire.getChats"})
        fresh = Engine(self.socket, self.accounts[account], account)
        groups = fresh.first["groups"]
        fresh.close()
        return [described(group, one) for group in groups for one in group["notifications"]]

    def rang(self, account):
        engine = self.engine(account)
        engine.ask({"@type": "bellwire.getChats"})
        updates, engine.loud = engine.loud, []
        return [
            described({"type": update["type"]}, one)["text"]
            for update in updates
            for one in update["added_notifications"]
            if not one["is_silent"]
        ]

    def badge(self, account):
        engine = self.engine(account)
        engine.ask({"@type": "bellwire.getChats"})
        return engine.badge

    # The engine

    def ask(self, account, request):
        return self.engine(account).ask(request)

    def owner(self, account, what, **members):
        chat = members.get("chat")
        message = {
            "@type": "message",
            "id": (members.get("id") or 0) << 20,
            "chat_id": chat,
            "date": members.get("date"),
        }
        message["content"] = {"@type": "messageText", "text": {"@type": "formattedText", "text": members.get("text")}}
        message["sender_id"] = {"@type": "messageSenderUser", "user_id": members.get("sender", chat)}
        message["contains_unread_mention"] = members.get("mention", False)
        requests = {
            "chat": {"@type": "bellwire.setChat", "chat_id": members.get("id"), "title": members.get("title")},
            "message": {"@type": "bellwire.addMessage", "message": message},
            "edit": {"@type": "bellwire.editMessage", "message": message},
            "secret_chat": {"@type": "bellwire.addSecretChat", "chat_id": chat},
            "call": {
                "@type": "bellwire.setCall",
                "call_id": members.get("id"),
                "chat_id": chat,
                "state": members.get("state"),
            },
            "pin": {"@type": "bellwire.setPinnedMessage", "chat_id": chat, "message": message},
            "away": {"@type": "bellwire.setOnline", "self": False, "others_online_since": members.get("seconds")},
            "fetching": {"@type": "bellwire.setFetching", "active": members.get("active")},
            "release": {"@type": "bellwire.release"},
            "process": {
                "@type": "bellwire.processPush",
                "payload": members.get("payload"),
                "dialect": self.accounts[account],
            },
        }
        if what == "pinned_notice":
            message["content"] = {"@type": "messagePinMessage", "message_id": members["pinned"] << 20}
            what = "message"
        if what == "chat":
            requests["chat"]["type"] = members.get("kind", "private")
        return self.ask(account, requests[what])

    # Lines in, lines out

    def line(self, words, text):
        if words not in self.readers:
            self.readers[words] = subprocess.Popen(
                [self.bellwire, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        reader = self.readers[words]
        reader.stdin.write(text + "\n")
        reader.stdin.flush()
        select.select([reader.stdout], [], [], 20)
        return json.loads(reader.stdout.readline())

    def play(self, story):
        return self.line(("engine", "--replay"), json.dumps(story))["steps"]

    def receiver(self, payload):
        return self.line(("receiver-id",), json.dumps(payload))

    def notify(self, body):
        address = f"http://127.0.0.1:{self.served.port}/_matrix/push/v1/notify"
        status, text = request("POST", address, body, {"Content-Type": "application/json"})
        return {"status": status, "body": json.loads(text) if text else None}


def described(group, notification):
    kind = notification["type"]["@type"].removeprefix("notificationType")
    content = notification["type"].get("content") or {}
    seen = notification["type"].get("bellwire.presentation") or {}
    message = notification["type"].get("message") or {}
    real = (message.get("content") or {}).get("text") or {}
    return {
        "id": notification["id"],
        "group": group.get("id"),
        "kind": group["type"]["@type"].removeprefix("notificationGroupType"),
        "type": kind,
        "chat": group.get("chat_id"),
        "total": group.get("total_count"),
        "title": seen.get("title") or notification["type"].get("sender_name"),
        "text": seen.get("body") or content.get("text") or real.get("text"),
        "sound": seen.get("sound"),
        "action": seen.get("default_action"),
        "data": seen.get("data"),
    }


class Engine(control.Engine):
    """A viewer of one account, on the control socket."""

    def __init__(self, path, app, account):
        super().__init__(path, app=app, account=account, role="viewer")
        self.loud, self.updates, self.badge, self.number, self.waits = [], [], None, 0, False
        self.first = self.next("updateActiveNotifications")

    def next(self, kind=None):
        update = super().next(kind)
        if update is None:
            raise OSError("the engine has closed the connection")
        return update

    def ask(self, request):
        answer = self.once(request)
        # What is held back for a moment, to be combined, belongs to this request.
        for _ in range(8):
            if not self.waits:
                break
            time.sleep(0.02)
            self.once({"@type": "bellwire.getChats", "limit": 0})
        updates, self.updates = self.updates, []
        return {"answer": answer, "updates": updates}

    def once(self, request):
        self.number += 1
        self.say({**request, "@extra": self.number})
        while (answer := self.next()).get("@extra") != self.number:
            self.updates.append(answer)
            if answer["@type"] == "updateNotificationGroup" and answer["notification_sound_id"] != "0":
                self.loud.append(answer)
            if answer["@type"] == "updateHavePendingNotifications":
                self.waits = answer["have_delayed_notifications"]
            if answer["@type"] == "bellwire.updateUnreadBadge":
                self.badge = {"count": answer["count"], "missed_calls": answer.get("missed_calls", 0)}
        del answer["@extra"]
        return answer


class Hook(Handler):
    """The application's server: it confirms callbacks, and keeps the events of each registration."""

    events, seen, lock = {}, set(), threading.Lock()

    @classmethod
    def queue(cls, id):
        with cls.lock:
            return cls.events.setdefault(id, queue.Queue())

    @classmethod
    def first(cls, id, count):
        try:
            return [cls.queue(id).get(timeout=10) for _ in range(count)]
        except queue.Empty:
            raise OSError(f"fewer than {count} events came within ten seconds") from None

    def do_POST(self):
        event = json.loads(self.body())
        # An event may come again under its id, if the server did not record that it was taken.
        if self.headers["webhook-id"] not in self.seen:
            self.seen.add(self.headers["webhook-id"])
            self.queue(event["data"]["registration"]).put({"type": event["type"], "data": event["data"]})
        self.consent()
