"""What operators do while the server runs, and what happens to it. Each act leaves the server running and ready.

`ACTS`: the name of each act, how often it happens, and the function, which gets the stage.
"""

import asyncio
import signal

from clients.agent import Agent
from clients.owners import Owner
from clients.sender import Client
from scenarios import DAY, DECADE


class Failed(Exception):
    pass


async def kill(stage):
    """SIGKILL at a random moment."""
    if not await stage.restart():
        raise Failed("the server does not start after a kill")


async def stop(stage):
    """SIGTERM: what is under way is finished, and the others hear that it is not."""
    if await stage.server.kill(signal.SIGTERM) != 0:
        raise Failed("the server does not end in good order")
    if not await stage.server.start():
        raise Failed("the server does not start after an end")


async def reload(stage):
    """SIGHUP, with other settings."""
    chance = stage.random.choice
    stage.server.configure(
        access_log=chance(["yes", "no"]),
        local_users=chance(["yes", "no"]),
        alias=f"https://127.0.0.1:{stage.random.randrange(1_024, 9_999)}",
        callback_allow=chance(["127.0.1.0/24", "127.0.0.0/8"]),
    )
    if not await stage.server.reload():
        raise Failed("the configuration is not read again")
    await shown_by(stage, "check")


async def renew(stage):
    """Another certificate, which clients get within seconds."""
    certificate, _ = stage.server.authority.certify("127.0.0.1", "server")
    if not stage.random.randrange(3):
        await stage.server.reload()
    wanted = certificate.read_text()
    for _ in range(300):
        if await stage.server.served() == wanted:
            return
        await asyncio.sleep(0.1)
    raise Failed("the server does not serve its new certificate")


async def shown_by(stage, *words):
    """What a command prints; its exit code."""
    code, _ = await stage.vault.run(*words, "--config", stage.server.configuration)
    return code


async def rotate_master_key(stage):
    """Everything is sealed again, in the background. The former rotation may still be under way."""
    status, answer = await stage.server.control("POST", "master-key")
    if status not in (202, 409):
        raise Failed(f"the master key cannot be replaced: {status} {answer}")


async def back_up(stage):
    await stage.vault.back_up(is_killed=stage.random.random() < 0.5)
    if stage.random.random() < 0.3:
        file = stage.folder / "without-keys.backup"
        file.unlink(missing_ok=True)
        code, text = await stage.vault.run("backup", "--without-keys", file, "--config", stage.server.configuration)
        if code != 0:
            raise Failed(f"a backup without keys: {text}")
        stage.show_backup(file)


async def restore(stage):
    """The store is lost, and made again from a backup."""
    await stage.vault.back_up()
    await asyncio.sleep(stage.random.uniform(0.5, 1.5))
    if not await stage.vault.restore(has_former=stage.random.random() < 0.5):
        raise Failed("the server does not start after a restore")


async def revoke_device(stage):
    known = [one for one in stage.world.agents if one.device and not one.is_revoked and not one.owner]
    if known:
        one = stage.random.choice(known)
        await one.revoke()
        one.patience = 5
        stage.spawn(Agent(stage.world, 2, has_device=True).run())


async def remove_owner(stage):
    """And another one of the same name comes."""
    former = stage.random.choice(stage.owners)
    if not await stage.until(lambda: all(one.device for one in former.agents)):
        return
    await former.remove()
    stage.owners.remove(former)
    stage.owners.append(Owner(stage, former.name))
    await stage.owners[-1].begin(stage.applications)


async def rotate_endpoint(stage):
    """A registration gets another endpoint, another secret and other keys."""
    await stage.random.choice([one for one in stage.applications.values() if not one.is_removed]).rotate()


async def jump(stage):
    """The time of day is wrong for a moment."""
    offset = stage.random.choice([DAY, -DAY, DECADE, -DECADE])
    stage.server.meddler.set(offset=offset)
    stage.log.note("jump", offset=offset)
    await asyncio.sleep(stage.random.uniform(0.2, 1.2))
    stage.server.meddler.set(offset=0)
    stage.log.note("jump", offset=0)


async def look(stage):
    """Everything that an operator can see, in the terminal and over HTTP."""
    for words in (["device", "list"], ["owner", "list"], ["registration", "list"], ["top", "--json"]):
        if await shown_by(stage, *words) != 0:
            raise Failed(f"bellwire {' '.join(words)} fails")
    for port, paths in ((stage.server.port, ["/health", "/__heartbeat__"]), (stage.server.metrics_port, ["/metrics"])):
        client = Client(port)
        for path in paths:
            status, answer = await client.ask("GET", path)
            stage.log.note("shown", where=path, text=str(answer))
            if status != 200:
                raise Failed(f"{path} answers {status}")
        client.close()
    stage.server.show_process()


ACTS = {
    "kill": (100, kill),
    "stop": (5, stop),
    "reload": (4, reload),
    "renew": (2, renew),
    "master key": (3, rotate_master_key),
    "backup": (4, back_up),
    "restore": (1, restore),
    "revocation": (3, revoke_device),
    "removal": (2, remove_owner),
    "rotation": (3, rotate_endpoint),
    "jump": (4, jump),
    "look": (2, look),
}
