"""Revokes rights while they are in use: of a device, of an owner, of the users of this machine."""

import asyncio
import json
import time

from rights import Broken, Thing
from wires import PATIENCE

# A session ends within a second. The test allows time to notice that.
END, NOTICE = 1, 1.5


async def revoke(service, caller):
    """A working device loses its credential, and its user gets another one."""
    thing = caller.device
    sessions = [session for session in (caller.agent, caller.engine) if session and session.is_open]
    end_device(service, caller, thing)
    status, _, _ = await service.administrator.ask("DELETE", f"/api/v1/devices/{thing.row}")
    if status not in (200, 204):
        raise Broken(f"a device cannot be removed: {status}")
    known(service, caller, thing)
    try:
        await gone(sessions, "a device was removed")
        status, _, _ = await caller.ask("GET", "/api/v1/registrations")
        if status != 401:
            raise Broken(f"a device that was removed is answered {status}")
    finally:
        await add_device(service, caller)
    return len(sessions)


async def remove_owner(service, caller):
    """Removes an owner with everything that belongs to it; a new one gets the same name."""
    thing = caller.device
    sessions = [session for session in (caller.agent, caller.engine) if session and session.is_open]
    end_device(service, caller, thing)
    mine = [
        registration for registration in service.rights.registrations.values() if registration.owner == caller.owner
    ]
    for registration in mine:
        registration.ending()
    row = await owner_row(service, caller.owner)
    status, _, _ = await service.administrator.ask("DELETE", f"/api/v1/owners/{row}")
    if status not in (200, 204):
        raise Broken(f"an owner cannot be removed: {status}")
    known(service, caller, thing)
    for registration in mine:
        registration.ended()
    for key in [key for key in service.rights.kept if key[0] == caller.owner]:
        del service.rights.kept[key]
    try:
        await gone(sessions, "an owner was removed")
    finally:
        await add_device(service, caller)
    return len(sessions)


async def owner_row(service, name):
    _, _, text = await service.administrator.ask("GET", "/api/v1/owners")
    for owner in json.loads(text)["owners"]:
        if owner["name"] == name:
            return owner["id"]
    raise Broken(f"the owner {name} is not listed")


def made_with(service, caller):
    """The registrations and channels that end with a credential, because they were made with it."""
    rights = service.rights
    return [thing for thing in rights.registrations.values() if thing.bearer == caller.bearer] + [
        thing for thing in rights.channels.values() if thing.agent.bearer == caller.bearer
    ]


def end_device(service, caller, thing):
    for ending in [thing, *made_with(service, caller)]:
        ending.ending()


def known(service, caller, thing):
    for ending in [thing, *made_with(service, caller)]:
        ending.ended()


async def add_device(service, caller):
    # Requests under way used the old credential.
    await caller.close()
    body = json.dumps({"name": f"{caller.name} {time.monotonic_ns()}", "owner": caller.owner})
    status, _, text = await service.administrator.ask("POST", "/api/v1/devices", body.encode())
    if status != 201:
        raise Broken(f"a device cannot be added: {status}")
    made = json.loads(text)
    caller.bearer = made["bearer"]
    service.rights.devices[made["bearer"]] = Thing(caller.owner, row=made["id"])
    service.rights.belongs(made["bearer"], caller.owner)


async def gone(sessions, what):
    """The server ends all of them in time."""
    start = time.monotonic()
    for session in sessions:
        left = max(END + NOTICE - (time.monotonic() - start), 0.01)
        done, _ = await asyncio.wait([session.task], timeout=left)
        if not done:
            kind = "user agent's" if hasattr(session, "agent") else f"engine's, {type(session).__name__}"
            raise Broken(f"{what}, and a session goes on: {kind}")


async def forbid_users(service, users):
    """Switches `local-users` off while users are at work, and on again."""
    thing = service.rights.local_users
    sessions = [user.engine for user in users if user.engine and user.engine.is_open]
    thing.ending()
    service.configure(local_users=False)
    await answered(users[0], 403)
    thing.ended()
    try:
        await gone(sessions, "users of this machine are no longer let in")
    finally:
        for user in users:
            await user.close()
        service.rights.local_users = thing = Thing("local users")
        thing.ending()
        service.configure(local_users=True)
        await answered(users[0], 200)
        service.rights.local_users = Thing("local users")
    return len(sessions)


async def answered(user, expected):
    start = time.monotonic()
    while (await user.ask("GET", "/api/v1/registrations"))[0] != expected:
        if time.monotonic() - start > PATIENCE:
            raise Broken(f"a reload with another local-users does nothing: {expected} expected")
        await asyncio.sleep(0.05)
