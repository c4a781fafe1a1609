"""What happens to a desktop under torture. Each act ends with everything running again."""

import asyncio
import signal


async def kill_desktop(stage, desk):
    await restart_desktop(desk, signal.SIGKILL)


async def end_desktop(stage, desk):
    await restart_desktop(desk, signal.SIGTERM)


async def restart_desktop(desk, how):
    await desk.session.end_desktop(how)
    await asyncio.sleep(desk.random.choice([0, 0, 0.3]))
    await desk.start_desktop()
    desk.wake()


async def stop_desktop(stage, desk):
    process = desk.session.processes["desktop"]
    desk.log.note("desk-stop")
    process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(desk.random.choice([0.1, 0.5, 3]))
    process.send_signal(signal.SIGCONT)
    desk.log.note("desk-go")
    desk.wake()


async def kill_screen(stage, desk):
    """Another daemon begins its numbers anew."""
    await desk.session.end_screen()
    await asyncio.sleep(desk.random.choice([0, 0, 0.5]))
    await desk.session.start_screen()
    desk.wake()


async def spoil_screen(stage, desk):
    """The daemon answers late, or with errors."""
    desk.order_screen(desk.random.choice(["late", "failing"]))
    await asyncio.sleep(desk.random.uniform(0.5, 2))
    desk.order_screen()


async def restart_bus(stage, desk):
    """The desktop ends with its bus, and is started again as its unit says: on failure."""
    await desk.session.lose_bus()
    await desk.session.start_bus("session")
    await desk.session.start_helpers()
    await desk.start_desktop()
    desk.wake()


async def kill_server(stage, desk):
    await stage.restart()
    desk.wake()


async def kill_both(stage, desk):
    await asyncio.gather(restart_desktop(desk, signal.SIGKILL), stage.restart())
    desk.wake()


async def sleep(stage, desk):
    desk.log.note("asleep")
    desk.tell(True)
    await asyncio.sleep(desk.random.uniform(0, 0.5))
    desk.wake()


ACTS = {
    "kill desktop": (8, kill_desktop),
    "end desktop": (3, end_desktop),
    "stop desktop": (2, stop_desktop),
    "kill screen": (4, kill_screen),
    "spoil screen": (3, spoil_screen),
    "restart bus": (1, restart_bus),
    "kill server": (6, kill_server),
    "kill both": (2, kill_both),
    "sleep": (2, sleep),
}
