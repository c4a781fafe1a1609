"""D-Bus: buses of a test's own, and calls on them."""

import subprocess

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>{kind}</type><listen>unix:{where}</listen>
<servicedir>{folder}/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""
DISTRIBUTOR, OBJECT = "org.unifiedpush.Distributor.bellwire", "/org/unifiedpush/Distributor"
LOGIND = "org.freedesktop.login1"
BUS = dict(
    destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus", signature=""
)


def command(folder, kind, where):
    """What starts a bus that allows everything and prints its address. Programs for names are in `services`."""
    path = f"{folder}/{kind}.conf"
    with open(path, "w") as file:
        file.write(CONFIGURATION.format(kind=kind, folder=folder, where=where))
    return ["dbus-daemon", "--nofork", "--print-address=1", f"--config-file={path}"]


def service(name, *words):
    """The file that says which program a bus starts for a name."""
    return f"[D-BUS Service]\nName={name}\nExec={' '.join(str(word) for word in words)}\n"


def tell(environment, member):
    """A call to the session bus itself, from a program that is not on it."""
    words = ["dbus-send", "--session", f"--dest={BUS['destination']}", "--print-reply", BUS["path"]]
    subprocess.run([*words, f"{BUS['interface']}.{member}"], env=environment, check=True, stdout=subprocess.DEVNULL)


async def connected(address):
    return await MessageBus(bus_address=address).connect()


async def ask(bus, member, signature="", *body):
    """The answer of the bus itself."""
    return await bus.call(Message(**BUS | {"member": member, "signature": signature, "body": list(body)}))


def request(version, member, signature, body):
    """A call to the distributor in one of the generations of its interface."""
    interface = f"org.unifiedpush.Distributor{version}"
    return Message(
        destination=DISTRIBUTOR, path=OBJECT, interface=interface, member=member, signature=signature, body=body
    )


def signal(bus, path, interface, member, signature, *body):
    told = dict(path=path, interface=interface, member=member, signature=signature, body=list(body))
    bus.send(Message(message_type=MessageType.SIGNAL, **told))


def tell_asleep(bus, is_asleep):
    """As the machine says it of itself."""
    signal(bus, "/org/freedesktop/login1", f"{LOGIND}.Manager", "PrepareForSleep", "b", is_asleep)
