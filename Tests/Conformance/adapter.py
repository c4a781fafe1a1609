"""What a server may offer. An adapter overrides what its server has; everything else is "not offered".

Each operation takes and returns plain JSON values, so that the self-check can garble them. docs/conformance.md explains
how to write an adapter.
"""

import http.client
import urllib.parse

from casebook import NotOffered


def request(method, address, body=None, fields=None):
    """One HTTP request: status and body."""
    place = urllib.parse.urlsplit(address)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    connection = kind(place.hostname, place.port, timeout=10)
    try:
        path = place.path + (f"?{place.query}" if place.query else "")
        connection.request(method, path, body, fields or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Adapter:
    name = "nobody"

    def version(self):
        """Name and version of the server, for the table."""
        return self.name

    def start(self):
        """Starts the server, or finds it."""

    def stop(self):
        """Ends what `start` started."""

    # Endpoints

    def register(self, dialect, **terms):
        """A new endpoint of a new account: `{"id", "account", "endpoint", "token"}`.

        With keys also `"p256dh", "auth"` in base64url. `token` is the text that Telegram's server gets.
        `refresh_after` says in how many seconds to register again. `dialect` is telegram, matrix, icq or zpns. Terms,
        all optional: `keys` (False: a simple push without a payload), `sealed` (True: the answer also has `"secret"`,
        256 bytes in hex), `secret` (the same, chosen by the case), `user`, `others` (user ids), `mode` (of ICQ:
        disabled, sendOnlyOne, sendOnePerConversation, applePushNotification), `timeout` (seconds), `presentation`
        (`sound`, `loc_key`, `loc_args`, `action_loc_key`, `badge`), `callback` (True: keep the events), `app_id` (of
        Matrix).
        """
        raise NotOffered("no endpoints")

    def push(self, endpoint, body=b"", fields=None, method="POST"):
        """What a sender does: `{"status"}`."""
        return {"status": request(method, endpoint, body, {"TTL": "600", **(fields or {})})[0]}

    def received(self, id):
        """Takes what waits for the application: its payloads, decrypted, as text."""
        raise NotOffered("no client that gets payloads")

    def signals(self, id):
        """How many wake-ups a simple push gave that were not taken yet."""
        raise NotOffered("no fetch signals")

    def revoke(self, id):
        """Ends an endpoint."""
        raise NotOffered("endpoints do not end")

    def events(self, id, count):
        """The first `count` events that the application's callback got: `{"type", "data"}` each."""
        raise NotOffered("no callbacks")

    # Presence

    def presence(self, id):
        """What others see of this subscriber: `{"online", "mobile"}`."""
        raise NotOffered("no presence")

    def other_client(self, id, mobile):
        """The user opens another client of the account."""
        raise NotOffered("no presence")

    # The screen

    def shown(self, account):
        """What is on the screen, in order, after everything that was accepted has taken effect.

        Of each notification: `id`, `group`, `kind` (Messages, Mentions, SecretChat, Calls), `type` (NewMessage,
        NewPushMessage, NewSecretChat, NewCall), `chat`, `title`, `text`, `sound`, `action` (the label of a click),
        `data` (for the application), `total` (of its group).
        """
        raise NotOffered("no screen")

    def rang(self, account):
        """The texts of notifications that made a sound since the last question."""
        raise NotOffered("no screen")

    def badge(self, account):
        """The last badge: `{"count", "missed_calls"}`, or None."""
        raise NotOffered("no badge")

    # An engine that speaks TDLib's JSON

    def ask(self, account, request):
        """Sends a request of TDLib's: `{"answer", "updates"}`, with the updates since the last question."""
        raise NotOffered("no engine")

    def owner(self, account, what, **members):
        """A client that owns the real data says something, and the answer is that of `ask`.

        `what`: chat `{id, title, kind}`, message `{chat, id, text, date, mention?, sender?}`, edit (the same),
        secret_chat `{chat}`, call `{id, chat, state}`, pin `{chat, id, text, date}` (the chat's pinned message),
        pinned_notice `{chat, id, pinned, sender, date}` (the message that says so), away `{seconds}` (the user is at
        another device), release (what is held back), process `{payload}` (a push, as the dialect of the account reads
        it).
        """
        raise NotOffered("no engine")

    def restart(self):
        """Ends the server without a warning and starts it again on the same data."""
        raise NotOffered("no restart")

    def play(self, story):
        """Plays a recorded story to a new engine with TDLib's own chats: `{"result", "updates"}` of each step."""
        raise NotOffered("no recorded clock")

    def receiver(self, payload):
        """getPushReceiverId of a payload: `{"id"}` or `{"error"}`."""
        raise NotOffered("no getPushReceiverId")

    # A push gateway of Matrix

    def notify(self, body):
        """A homeserver's request, as text: `{"status", "body"}`, with the body read as JSON."""
        raise NotOffered("no Matrix gateway")
