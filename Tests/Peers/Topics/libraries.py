"""Libraries of Python for ntfy and Gotify, as they are published: each sends what it can, and reads if it can."""

import asyncio
import contextlib
import datetime
import io
import logging
import pathlib
import threading
import warnings

import aiontfy
import gotify
import ntfpy
import ntfy_api
import ntfy_lite
import python_ntfy
from aiontfy.exceptions import NtfyException
from expected import about, differs
from place import name
from table import PNG, an_attachment, buttons

LINK = "https://example.org/a"
VIEW = {"action": "view", "label": "Open, now", "url": LINK}
PLAIN = VIEW | {"label": "Open"}
COMMON = dict(title="Größe", priority=4, tags=["warning", "disk"])
LATER = dict(time=about(1800, within=60))


class Libraries:
    def __init__(self, place, judge):
        self.place, self.judge = place, judge

    def run(self):
        for part in (self.python_ntfy, self.ntfy_lite, self.ntfpy, self.ntfy_api, self.aiontfy, self.gotify):
            self.judge.attempt(part)

    def holds(self, topic, text, what, wire=None, **wanted):
        """One message with this text is there, and is as it was sent."""
        found = [event for event in (wire or self.place.wire).poll(topic, "&sched=1") if event.get("message") == text]
        wrong = list(differs(found[0], wanted)) if found else ["it is not there"]
        self.judge(len(found) == 1 and not wrong, f"{what}: {wrong}", found)

    def python_ntfy(self):
        client = python_ntfy.NtfyClient(topic=name(), server=self.place.url, auth=self.place.both)
        topic, later = client.get_topic(), datetime.datetime.now() + datetime.timedelta(minutes=30)
        view = client.ViewAction("Open", LINK, clear=True)
        call = client.HttpAction("Do", LINK, method="put", headers={"a": "b"}, body="x")
        sent = dict(title="T", priority=client.MessagePriority.HIGH, tags=["warning", "disk"])
        # It prints buttons.
        with contextlib.redirect_stdout(io.StringIO()):
            told = client.send("text ä", actions=[view, call], format_as_markdown=True, **sent)
        done = dict(action="http", label="Do", url=LINK, method="PUT", headers={"a": "b"}, body="x")
        pressed = dict(actions=buttons(PLAIN | {"clear": True}, done), content_type="text/markdown")
        self.holds(topic, "text ä", "python-ntfy sends", **COMMON | {"title": "T"}, **pressed)
        client.send("later", schedule=later)
        self.holds(topic, "later", "python-ntfy sends later", **LATER)
        client.send_file(pathlib.Path(__file__), title="A file")
        size = pathlib.Path(__file__).stat().st_size
        held = dict(title="A file", attachment=an_attachment("libraries.py", "text/", size))
        self.holds(topic, "You received a file: libraries.py", "python-ntfy sends a file", **held)
        read = client.get_cached_messages(since="all", scheduled=True)
        self.judge(len(read) == 3 and told in read, "python-ntfy reads", read)
        read = client.get_cached_messages(since=told["id"])
        self.judge([event.get("attachment", {}).get("name") for event in read] == ["libraries.py"], "since", read)

    def ntfy_lite(self):
        topic = name()
        view, call = ntfy_lite.ViewAction("Open", LINK), ntfy_lite.HttpAction("Do", LINK, headers={"a": "b"}, body="x")
        sent = dict(priority=ntfy_lite.Priority.HIGH, tags=["warning", "disk"], click=LINK, icon=LINK)
        # It has no word for a credential, but its addresses may have one.
        own = self.place.url.replace("://", f"://me:{self.place.both}@")
        ntfy_lite.push(topic, "T", "text", actions=[view, call], url=own, **sent)
        # It writes the number of a method.
        done = dict(action="http", label="Do", url=LINK, method="1", headers={"a": "b"}, body="x")
        wanted = COMMON | dict(title="T", click=LINK, icon=LINK, actions=buttons(PLAIN, done))
        self.holds(topic, "text", "ntfy_lite sends", **wanted)
        ntfy_lite.push(topic, "T", "later", at="30m", url=own)
        self.holds(topic, "later", "ntfy_lite sends later", **LATER)
        ntfy_lite.push(topic, "T", filepath=pathlib.Path(__file__).with_name("place.py"), url=own)
        self.judge(len(self.place.wire.poll(topic)) == 2, "ntfy_lite sends a file")
        ntfy_lite.push(topic, "T", "from nobody", url=self.place.url)
        self.holds(topic, "from nobody", "ntfy_lite sends from this machine without a credential", title="T")

    def ntfpy(self):
        topic, opened, got = name(), threading.Event(), []
        user = ntfpy.NTFYUser("me", self.place.both)
        client = ntfpy.NTFYClient(ntfpy.NTFYServer(self.place.url), topic, user)

        class Seen(logging.Handler):
            def emit(self, record):
                # What it reads besides messages goes to its log.
                opened.set()

        def take(message):
            got.append(message)
            raise EOFError("enough")

        def read():
            with contextlib.suppress(EOFError):
                asyncio.run(client.subscribe(take))

        log = logging.getLogger("ntfpy.types.client")
        log.setLevel(logging.DEBUG)
        log.addHandler(Seen())
        log.propagate = False
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        self.judge(opened.wait(10), "ntfpy's stream opens")
        sent = dict(title="Größe", priority=4, tags=["warning", "disk"], click=LINK, icon=LINK)
        view, attached = ntfpy.NTFYViewAction("Open, now", LINK), ntfpy.NTFYUrlAttachment(f"{LINK}.jpg", "b.jpg")
        answer = client.send("text ä", attach=attached, actions=[view], **sent)
        self.judge(answer.status_code == 200, "ntfpy is answered", answer.text)
        wanted = sent | dict(actions=buttons(VIEW), attachment=an_attachment("b.jpg"))
        self.holds(topic, "text ä", "ntfpy sends", **wanted)
        client.send("later", delay="30m")
        self.holds(topic, "later", "ntfpy sends later", **LATER)
        reader.join(10)
        self.judge(len(got) == 1 and not list(differs(vars(got[0]), sent)), "ntfpy reads", got and vars(got[0]))

    def ntfy_api(self):
        topic = name()
        publisher = ntfy_api.NtfyPublisher(self.place.url, bearer=self.place.both)
        view = ntfy_api.ViewAction("Open, now", LINK, clear=True)
        call = ntfy_api.HTTPAction("Do", LINK, method="PUT", headers={"a": 'b"c'}, body="x;y")
        sent = ntfy_api.Message(
            topic=topic,
            message="two\nlines",
            title="T",
            priority=ntfy_api.Priority.high,
            tags=[ntfy_api.Tag.warning, "disk"],
            markdown=True,
            actions=[view, call],
            click=LINK,
            icon=LINK,
            attach=f"{LINK}.jpg",
        )
        answer = publisher.publish(sent)
        self.judge(answer.status_code == 200, "ntfy-api is answered", answer.text)
        done = dict(action="http", label="Do", url=LINK, method="PUT", headers={"a": 'b"c'}, body="x;y")
        wanted = COMMON | dict(title="T", content_type="text/markdown", click=LINK, icon=LINK)
        wanted |= dict(actions=buttons(VIEW | {"clear": True}, done), attachment=an_attachment("a.jpg"))
        self.holds(topic, "two\nlines", "ntfy-api sends", **wanted)
        publisher.publish(ntfy_api.Message(topic=topic, message="later", delay="30m"))
        self.holds(topic, "later", "ntfy-api sends later", **LATER)
        publisher.publish(ntfy_api.Message(topic=topic, message="look", filename="a.png", data=io.BytesIO(PNG)))
        held = an_attachment("a.png", "image/png", len(PNG))
        self.holds(topic, "look", "ntfy-api sends a file", attachment=held)
        publisher.publish(ntfy_api.Message(topic=topic, message="not kept", cache=False, firebase=False))
        self.judge(len(self.place.wire.poll(topic)) == 2, "ntfy-api sends what is not kept")
        publisher.publish_json(dict(topic=topic, message="in JSON", title="Größe"))
        self.holds(topic, "in JSON", "ntfy-api sends JSON", title="Größe")
        publisher.close()

    async def aiontfy(self):
        topic, got = name(), []
        async with aiontfy.Ntfy(self.place.url, username="me", password=self.place.credential) as owner:
            self.judge((await owner.account()).stats.messages >= 0, "aiontfy reads the account")
            token = (await owner.generate_token("Home Assistant")).token
            stats = await owner.stats()
            self.judge(stats.messages >= 0, "aiontfy reads what was counted", stats)
        async with aiontfy.Ntfy(self.place.url) as nobody:
            self.judge((await nobody.account()).username == "*", "aiontfy is told who it is not")
            refused = await self.refusal(nobody.can_subscribe([topic]))
            self.judge(refused == (403, 40301), "aiontfy is refused", refused)
        async with aiontfy.Ntfy(self.place.url, token="tk_wrong") as wrong:
            refused = await self.refusal(wrong.account())
            self.judge(refused == (401, 40101), "aiontfy is told that its token is wrong", refused)
        async with aiontfy.Ntfy(self.place.url, token=token) as client:
            refused = await self.refusal(client.version())
            self.judge(refused and refused[0] in (401, 404), "aiontfy is not told the version", refused)
            reading = asyncio.ensure_future(client.subscribe([topic, name()], got.append))
            await self.come(got, 1, reading)
            await self.aiontfy_sends(client, topic, got, reading)
            reading.cancel()
        async with aiontfy.Ntfy(self.place.url, token=token) as client:
            chosen = asyncio.ensure_future(client.subscribe([topic], got.append, tags=["x"], priority=[5]))
            await self.come(got, 1, chosen)
            await client.publish(aiontfy.Message(topic=topic, message="no"))
            await client.publish(aiontfy.Message(topic=topic, message="yes", tags=["x", "y"], priority=5))
            await self.come(got, 2, chosen)
            self.judge(got[-1].message == "yes", "aiontfy reads what it chose", got)
            chosen.cancel()

    async def aiontfy_sends(self, client, topic, got, reading):
        call = aiontfy.HttpAction(label="Do", url=LINK, method="PUT", headers={"a": "b"}, body="x")
        sent = dict(topic=topic, title="Größe", priority=4, tags=["warning", "disk"], click=LINK, icon=LINK)
        view = aiontfy.ViewAction(label="Open, now", url=LINK, clear=True)
        told = await client.publish(aiontfy.Message(message="text ä", actions=[view, call], markdown=True, **sent))
        done = dict(action="http", label="Do", url=LINK, method="PUT", headers={"a": "b"}, body="x")
        wanted = COMMON | dict(click=LINK, icon=LINK, content_type="text/markdown")
        pressed = dict(actions=buttons(VIEW | {"clear": True}, done))
        self.holds(topic, "text ä", "aiontfy sends", **wanted, **pressed)
        await self.come(got, 2, reading)
        read = got[-1]
        self.judge(
            (read.id, read.title, read.priority, len(read.actions)) == (told.id, "Größe", 4, 2), "aiontfy reads", read
        )
        await client.publish(aiontfy.Message(topic=topic, message="later", delay="30m", sequence_id="later"))
        self.holds(topic, "later", "aiontfy sends later", **LATER, sequence_id="later")
        held = aiontfy.Message(topic=topic, message="two\nlines", filename="a.png", actions=[view, call], title="T")
        await client.publish(held, PNG)
        attached = dict(title="T", attachment=an_attachment("a.png", "image/png", len(PNG)))
        self.holds(
            topic, "two\nlines", "aiontfy sends a file", **attached, actions=buttons(VIEW | {"clear": True}, done)
        )
        await self.come(got, 3, reading)
        cleared = await client.clear(topic, told.id)
        await self.come(got, 4, reading)
        self.judge((got[-1].event, got[-1].sequence_id) == ("message_clear", told.id), "aiontfy clears", cleared)
        await client.delete(topic, "later")
        await self.come(got, 5, reading)
        self.judge((got[-1].event, got[-1].sequence_id) == ("message_delete", "later"), "aiontfy deletes", got[-1])
        refused = await self.refusal(client.publish(aiontfy.Message(topic=topic, call="yes")))
        self.judge(refused == (400, 40032), "aiontfy is told that nobody calls", refused)

    async def refusal(self, asked):
        try:
            return await asked, None
        except NtfyException as failure:
            return getattr(failure, "http", None), getattr(failure, "code", None)

    async def come(self, got, count, reading):
        """So many have come. Those of the one before are forgotten at the first."""
        if count == 1:
            got.clear()
        end = asyncio.get_running_loop().time() + 10
        while len(got) < count and asyncio.get_running_loop().time() < end and not reading.done():
            await asyncio.sleep(0.02)
        if reading.done() and reading.exception():
            raise reading.exception()
        self.judge(len(got) == count, f"aiontfy's stream has {count}", got)

    async def gotify(self):
        warnings.simplefilter("ignore", DeprecationWarning)
        url, client = self.place.url, self.place.client["token"]
        for base in (url, f"{url}/gotify"):
            # What makes applications is a device.
            owner = gotify.Gotify(base_url=base, client_token=self.place.credential)
            made = owner.create_application("Library", "of Python", 3)
            owner.update_application(made["id"], "Books", default_priority=4)
            owner.app_token = made["token"]
            self.judge(owner.get_version()["version"], "gotify reads the version")
            self.judge(owner.get_health()["health"] == "green", "gotify reads the health")
            self.judge(owner.get_current_user()["name"], "gotify reads the user")
            reader = gotify.AsyncGotify(base_url=base, client_token=client)
            stream = reader.stream()
            live = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0.3)
            extras = {
                "client::display": {"contentType": "text/markdown"},
                "client::notification": {"click": {"url": LINK}},
            }
            told = await asyncio.to_thread(owner.create_message, "text ä", extras=extras, title="Größe", priority=7)
            self.judge(await asyncio.wait_for(live, 10) == told, "gotify's stream has what was sent", told)
            await stream.aclose()
            plain = owner.create_message("plain")
            self.judge((plain["title"], plain["priority"]) == ("Books", 4), "gotify sends with what is usual", plain)
            page = owner.get_messages(app_id=made["id"])
            self.judge(page["messages"] == [plain, told], "gotify reads what it sent", page)
            self.judge(owner.get_messages(limit=1)["messages"] == [plain], "gotify reads the newest")
            self.judge(owner.upload_application_image(made["id"], io.BytesIO(PNG))["image"], "gotify sends a picture")
            names = [one["name"] for one in owner.get_applications()]
            self.judge("Books" in names, "gotify lists the applications", names)
            owner.delete_message(told["id"])
            owner.delete_messages(made["id"])
            self.judge(owner.get_messages(app_id=made["id"])["messages"] == [], "gotify deletes messages")
            other = owner.create_client("Other")
            owner.update_client(other["id"], "Another")
            self.judge("Another" in [one["name"] for one in owner.get_clients()], "gotify lists the clients")
            owner.delete_client(other["id"])
            owner.delete_application(made["id"])
            try:
                owner.create_message("no")
            except gotify.GotifyError as failure:
                self.judge(failure.response.status_code == 401, "gotify is refused", failure)
            else:
                self.judge(False, "gotify is refused")
