"""What user agents and clients of engines say, over WebSocket and in lines."""

import json
import time
from urllib.parse import quote

import asked
from api import somebody
from kit.coding import decode
from rights import Broken, Thing, expect
from wires import Session

# Sessions of one device, so that its owner stays within the limit.
AGENTS, CHANNELS = 6, 8


class Agent:
    """A user agent, its name and its channels."""

    def __init__(self, owner, bearer):
        self.owner, self.bearer = owner, bearer
        self.name = None
        self.is_stored = False
        self.channels = []


async def talk_to_engine(caller):
    if caller.engine and caller.chance.random() < 0.05:
        await caller.engine.close()
    if caller.engine is None or not caller.engine.is_open:
        caller.engine = None
        await open_engine(caller)
    if caller.engine is None:
        return
    values, chance = caller.values, caller.chance
    kind = chance.choice(asked.LAST if chance.random() < 0.02 else list(asked.SHAPES))
    request = asked.request(caller, kind)
    if kind == "setOption":
        request["name"] = chance.choice(
            ("notification_group_count_max", "notification_group_size_max", "online", values.text())
        )
    mark = f"x{caller.serial}"
    caller.serial += 1
    if chance.random() < 0.05:
        text = values.json(values.any())
        await caller.engine.say(text.decode(errors="replace").replace("\n", " "))
        return
    answer = await caller.engine.ask(json.dumps(request | {"@extra": mark}), mark)
    if answer is None:
        return
    if answer["@type"] == "error":
        expect(answer["code"], {400, 404, 406, 429, 500}, f"{caller}: {kind}")


async def open_engine(caller):
    """Opens an engine of the caller, of another owner, or one that does not exist."""
    rights, chance, since = caller.rights, caller.chance, time.monotonic()
    thing = rights.registrations.get(somebody(caller, rights.registrations))
    app = thing.app if thing else caller.values.token() or "x"
    account = thing.account if thing else caller.values.token() or "x"
    caller.said |= {app, account}
    role = chance.choice(("fetcher", "viewer"))
    if caller.is_local and chance.random() < 0.5:
        return await open_lines(caller, app, account, role, since)
    opened = await caller.open_engine(
        f"/api/v1/engine?app={quote(app, safe='')}&account={quote(account, safe='')}&role={role}"
    )
    caller.service.count(caller, 101 if isinstance(opened, Session) else opened)
    let_in, may = caller.is_let_in(since), rights.account(caller, app, account, since)
    if isinstance(opened, Session):
        caller.engine = opened
        if let_in is False or may is False:
            raise Broken(f"{caller} opens an engine that belongs to {thing.owner if thing else 'nobody'}")
        return
    refused = {401, 403} if let_in is False else {404} if may is False else {400, 401, 403, 404, 429}
    if let_in and may:
        refused = {429} | ({400} if caller.is_administrator else set())
    expect(opened, refused | ({401, 403} if let_in is None else set()), f"{caller}: opening an engine")


async def open_lines(caller, app, account, role, since):
    lines = await caller.open_lines()
    first = {"@type": "bellwire.open", "app": app, "account": account, "role": role, "@extra": "open"}
    answer = await lines.ask(json.dumps(first), "open")
    let_in, may = caller.is_let_in(since), caller.rights.account(caller, app, account, since)
    if answer and answer["@type"] == "ok":
        caller.engine = lines
        if let_in is False or may is False:
            raise Broken(f"{caller} opens an engine of somebody else over lines")
        return
    await lines.close()
    if answer is None:
        raise Broken(f"{caller}: no answer to bellwire.open")
    code = answer["code"]
    if let_in and may and not caller.is_administrator:
        raise Broken(f"{caller} is answered {code} by an engine of their own")
    expect(code, {400, 403, 404, 429}, f"{caller}: opening an engine over lines")


async def talk_as_agent(caller):
    if caller.is_local:
        return await talk_to_engine(caller)
    if caller.agent and caller.chance.random() < 0.02:
        await caller.agent.close()
    if caller.agent is None or not caller.agent.is_open:
        caller.agent = None
        await hello(caller)
    if caller.agent is None:
        return
    action = caller.chance.choices((register, unregister, acknowledge, small_talk, nonsense), (30, 8, 40, 20, 2))[0]
    await action(caller, caller.agent)
    if caller.agent.broken:
        raise caller.agent.broken


async def hello(caller):
    rights, chance, since = caller.rights, caller.chance, time.monotonic()
    bearer = caller.bearer
    path = f"/u/{bearer}" if bearer and chance.random() < 0.5 else "/"
    opened = await Session.open(
        f"ws://127.0.0.1:{caller.service.port}{path}",
        lambda text, message: heard(caller, text, message),
        bearer if path == "/" else None,
    )
    let_in = caller.is_let_in(since)
    if not isinstance(opened, Session):
        if let_in is True:
            expect(opened, {429}, f"{caller}: the WebSocket of a user agent")
        return expect(opened, {401, 429}, f"{caller}: the WebSocket of a user agent")
    if let_in is False:
        raise Broken(f"{caller} may connect as a user agent")
    mine = [agent for agent in rights.agents.values() if agent.bearer == bearer]
    others = [name for name, agent in rights.agents.items() if agent.bearer != bearer]
    asked = None
    if mine and (len(mine) >= AGENTS or chance.random() < 0.7):
        asked = chance.choice(mine).name
    elif others and chance.random() < 0.6:
        asked = chance.choice(others)
        caller.said.add(asked)
    message = {"messageType": "hello", "use_webpush": True}
    if asked:
        message["uaid"] = asked
    answer = await opened.ask(json.dumps(message), ("hello", ""))
    if answer is None:
        return
    agent = rights.agents.get(answer["uaid"])
    if agent and agent.bearer != bearer:
        raise Broken(f"{caller} is accepted as a user agent that belongs to {agent.owner}")
    known = rights.agents.get(asked)
    if known in mine and known.is_stored and known is not agent and caller.is_let_in(since):
        raise Broken(f"{caller}: their own user agent is not recognised")
    if agent is None:
        agent = rights.agents[answer["uaid"]] = Agent(caller.owner, bearer)
        agent.name = answer["uaid"]
        rights.belongs(agent.name, caller.owner)
    opened.agent = agent
    caller.agent = opened


def heard(caller, text, message):
    """Checks that a notification is for a channel of this user agent and has the pushed content."""
    caller.rights.inspect(text, caller)
    if message.get("messageType") != "notification" or "data" not in message:
        return
    data = decode(message["data"]).decode(errors="replace")
    thing = caller.rights.channels.get(message["channelID"])
    if thing is None or thing.agent.bearer != caller.bearer:
        raise Broken(f"{caller} is given a push for a channel of somebody else")
    caller.rights.inspect(data, caller)
    thing.versions[message["version"]] = data


async def register(caller, session):
    rights, agent = caller.rights, session.agent
    live = [channel for channel in agent.channels if not rights.channels[channel].end_begun]
    if len(live) >= CHANNELS:
        return await unregister(caller, session)
    channel = caller.values.uuid()
    answer = await session.ask(json.dumps({"messageType": "register", "channelID": channel}), ("register", channel))
    if answer is None or answer["status"] != 200:
        return
    rights.channels[channel] = Thing(
        caller.owner,
        mark=caller.mark,
        agent=agent,
        serial=0,
        pushed=set(),
        versions={},
        path="/" + answer["pushEndpoint"].split("/", 3)[3],
    )
    rights.belongs(answer["pushEndpoint"], caller.owner)
    agent.channels.append(channel)
    agent.is_stored = True


async def unregister(caller, session):
    """Ends a channel of this user agent, or tries to end another's, which must stay."""
    channels = caller.rights.channels
    if not channels:
        return
    channel = caller.chance.choice(session.agent.channels or list(channels))
    if caller.chance.random() < 0.3:
        channel = caller.chance.choice(list(channels))
    is_mine = channels[channel].agent is session.agent
    if is_mine:
        channels[channel].ending()
    message = {"messageType": "unregister", "channelID": channel, "code": 200}
    answer = await session.ask(json.dumps(message), ("unregister", channel))
    if answer and answer["status"] == 200 and is_mine:
        channels[channel].ended()


async def acknowledge(caller, session):
    """Acknowledges messages that came, that came to others, and that never existed."""
    updates = []
    for _ in range(caller.chance.randrange(1, 6)):
        kind = caller.chance.random()
        mine = kind < 0.6
        of = (
            [caller.rights.channels[channel] for channel in session.agent.channels]
            if mine
            else list(caller.rights.channels.values())
        )
        thing = caller.chance.choice(of) if of else None
        version = caller.values.token()
        if thing and thing.versions and kind < 0.9:
            version = caller.chance.choice(list(thing.versions))
            caller.said.add(version)
            if thing.agent is session.agent:
                thing.pushed.discard(thing.versions[version])
        updates.append({"channelID": caller.values.uuid(), "version": version})
    await session.say(json.dumps({"messageType": "ack", "updates": updates}))


async def small_talk(caller, session):
    values = caller.values
    message = caller.chance.choice(
        [
            {"messageType": "urgency", "min": caller.chance.choice(("very-low", "low", "normal", "high"))},
            {"messageType": "nack", "version": values.token(), "code": 301},
            {"messageType": "broadcast_subscribe", "broadcasts": {values.text(): values.text()}},
            {"messageType": "broadcast_subscribe", "broadcasts": {}},
        ]
    )
    await session.say(json.dumps(message))


async def nonsense(caller, session):
    """Sends nonsense, which mostly ends the session."""
    values = caller.values
    text = caller.chance.choice(
        (
            values.json(values.any()).decode(errors="replace"),
            json.dumps(values.spoiled({"messageType": "ack", "updates": [{"channelID": 1, "version": ""}]})),
            json.dumps({"messageType": "register", "channelID": values.any(), "key": values.any()}),
            json.dumps({"messageType": "hello", "uaid": values.any()}),
            "{}",
            values.body(),
        )
    )
    await session.say(text)
