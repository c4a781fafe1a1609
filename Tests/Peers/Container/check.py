"""The image of the container: what is in it, and pushes through it; alone, and with Caddy in front as in compose.yaml.

usage: check.py PATH_OF_BELLWIRE [podman | bubblewrap]
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Peers/Proxies")

import yaml
from client import CLAIMED, SEEN, Client, silence, stranger, use
from engines import Image, engine
from kit.checks import Checks, Failed, checked
from kit.process import ended

# As it is fetched, and as it lies on the disk.
LARGEST, LARGEST_UNPACKED = 40_000_000, 50_000_000
CONTAINER = "deploy/container"
check = Checks("container")


def build(bellwire, folder):
    """The image as deploy/container/build makes it, in a file."""
    home = {"HOME": folder, "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "BELLWIRE_PROGRAM": bellwire}
    with open(f"{folder}/storage.conf", "w") as file:
        file.write(f'[storage]\ndriver="vfs"\nrunroot="{folder}/build"\ngraphroot="{folder}/images"\n')
    settings = f"{folder}/.config/containers"
    os.makedirs(settings)
    with open(f"{settings}/policy.json", "w") as file:
        file.write('{"default": [{"type": "insecureAcceptAnything"}]}')
    with open(f"{settings}/registries.conf", "w") as file:
        file.write("unqualified-search-registries = []\n")
    archive = f"{folder}/image.tar"
    for command in (
        [f"{CONTAINER}/build", "bellwire"],
        ["buildah", "push", "--quiet", "localhost/bellwire", f"oci-archive:{archive}"],
        # What lies in the storage is not needed any more.
        ["buildah", "rmi", "--all"],
    ):
        done = subprocess.run(command, env=os.environ | home, capture_output=True, text=True)
        check(done.returncode == 0, f"{command[0]}: {done.stderr[-500:]}")
    return Image(archive)


def look(image):
    size = os.path.getsize(image.archive)
    whole = 0
    owned = {"var/lib/bellwire", "run/bellwire"}
    names = set()
    for member in image.members():
        whole += member.size
        name = member.name.strip("./")
        names.add(name)
        own = any(name == place for place in owned)
        parent = any(place.startswith(name + "/") for place in owned)
        check(parent or member.uid == (10001 if own else 0), f"{name} belongs to {member.uid}")
        check(not member.mode & 0o6000, f"{name} is run as its owner")
        check(member.issym() or not member.mode & 0o002, f"everybody may write {name}")
    check(size < LARGEST, f"the image has {size} bytes")
    check(whole < LARGEST_UNPACKED, f"the files of the image have {whole} bytes")
    for name in ("etc/ssl/certs/ca-certificates.crt", "usr/share/zoneinfo/Europe/Berlin", "usr/bin/bellwire"):
        check(name in names, f"{name} is in the image")
    check(not [name for name in names if name.endswith(("/sh", "/bash", "/busybox"))], "there is no shell")
    configuration = image.configuration
    check(configuration["User"] == "10001:10001", "the image is not for root")
    check(list(configuration["Volumes"]) == ["/var/lib/bellwire"], "it has one volume")
    return size, whole


def wait_for_ready(log, process):
    deadline = time.monotonic() + 60
    while "bellwire: ready" not in open(log).read():
        if time.monotonic() > deadline or process.poll() is not None:
            raise Failed(f"container: FAILED: it did not start: {open(log).read()[-500:]}")
        time.sleep(0.1)


class Container:
    """One container with its log."""

    def __init__(self, engine, image, name, environment, volumes, folder):
        self.engine, self.image, self.name = engine, image, name
        self.log = f"{folder}/{name}.log"
        self.process = engine.run(name, environment, volumes, open(self.log, "w"))
        self.is_running = True
        wait_for_ready(self.log, self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_running:
            self.stop()

    def bellwire(self, *arguments):
        return self.engine.inside(self.name, ["/usr/bin/bellwire", *arguments])

    def health(self):
        """The exit code of the health check of the image."""
        return self.engine.inside(self.name, self.image["Healthcheck"]["Test"][1:]).returncode

    def stop(self):
        self.is_running = False
        return self.engine.stop(self.name, self.process)

    def device(self):
        added = self.bellwire("device", "add", "test", "--json")
        check(added.returncode == 0, f"a device is added inside: {added.stderr.decode()}")
        return json.loads(added.stdout)["bearer"]


def configuration(archive):
    """The health check is no part of what an archive of the open format says."""
    return archive.configuration | {"Healthcheck": {"Test": health_check()}}


def health_check():
    for line in open(f"{CONTAINER}/Containerfile"):
        if line.startswith("HEALTHCHECK"):
            return ["CMD", *json.loads(line[line.index("CMD") + 3 :])]
    raise Failed("container: FAILED: there is no health check")


async def alone(engine, image, folder):
    """As the image is, without a setting."""
    volumes = {"state": "/var/lib/bellwire"}
    logging = {"BELLWIRE_ACCESS_LOG": "yes"}
    with Container(engine, image, "alone", logging, volumes, folder) as container:
        check(container.health() == 0, "it is healthy")
        authority = engine.volume("state") + "/keys/development-ca.pem"
        client = Client("https://localhost:8443", authority)
        bearer = container.device()
        agent, _ = await use(client, bearer, check)
        check(container.stop() == 0, "it ends in good order")
    with Container(engine, image, "again", logging, volumes, folder) as container:
        again = type(agent)(client, check)
        await again.connect(bearer)
        status, _, _ = await agent.push(b"kept")
        check(status == 201, "the volume has kept the subscription")
        await stranger(client, check, lambda _: False)
        listed = container.bellwire("device", "list", "--json")
        check(listed.returncode == 0 and b"stranger" not in listed.stdout, "a stranger has added no device")
        check(container.stop() == 0, "it ends in good order")


async def composed(engine, image, folder):
    """The parts of compose.yaml, with Debian's Caddy."""
    with open(f"{CONTAINER}/compose.yaml") as file:
        services = yaml.safe_load(file)["services"]
    service, front = services["bellwire"], services["caddy"]
    check(service["read_only"] and "ports" not in service, "bellwire has no port")
    named = "BELLWIRE_NAME"

    def resolved(environment):
        return {
            key: value.replace("${" + named + ":?set it to the host name of the service}", "localhost")
            for key, value in environment.items()
        }

    environment = resolved(service["environment"]) | {"BELLWIRE_ACCESS_LOG": "yes"}
    volumes = dict(volume.split(":", 1) for volume in service["volumes"])
    # In a folder of its own: another trial has left its subscriptions in the other one.
    volumes = {f"composed-{name}": place for name, place in volumes.items()}
    with Container(engine, image, "composed", environment, volumes, folder) as container:
        data = f"{folder}/caddy"
        os.mkdir(data)
        places = {name: place for name, place, *_ in (volume.split(":") for volume in front["volumes"])}
        arguments = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", folder, folder, "--tmpfs", "/run"]
        arguments += ["--bind", engine.volume("composed-socket"), places["socket"], "--cap-add", "CAP_NET_BIND_SERVICE"]
        caddyfile = os.path.abspath(f"{CONTAINER}/Caddyfile")
        with open(f"{folder}/caddy.log", "w") as log:
            process = subprocess.Popen(
                [*arguments, "--die-with-parent", "caddy", "run", "--adapter", "caddyfile", "--config", caddyfile],
                env=os.environ
                | resolved(front["environment"])
                | {"HOME": data, "XDG_DATA_HOME": data, "XDG_CONFIG_HOME": data},
                stdout=log,
                stderr=log,
            )
        # bubblewrap ends by the signal, and Caddy with it.
        with ended(process, 0, -15, 143):
            authority = f"{data}/caddy/pki/authorities/local/root.crt"
            deadline = time.monotonic() + 30
            while "certificate obtained successfully" not in open(f"{folder}/caddy.log").read():
                check(time.monotonic() < deadline and process.poll() is None, "Caddy starts")
                await asyncio.sleep(0.1)
            client = Client("https://localhost", authority)
            agent, secrets = await use(client, container.device(), check)
            await silence(agent, 2, check)
            await stranger(client, check, lambda _: False)
            check(container.health() == 0, "it is healthy")
            check(container.stop() == 0, "it ends in good order")
            status, _, _ = await asyncio.to_thread(client.ask, "POST", agent.endpoint, b"", TTL="1")
            check(status in (502, 503), f"senders are told to try again while it is away: {status}")
    for name in (container.log, f"{folder}/caddy.log"):
        text = open(name).read()
        check(not [secret for secret in secrets if secret in text], f"{os.path.basename(name)} has no secret in it")
    text = open(container.log).read()
    check(f"client={SEEN}" in text and CLAIMED not in text, "bellwire is told who the client is")


def main():
    bellwire = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else None
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        archive = build(bellwire, folder)
        size, whole = look(archive)
        image = configuration(archive)
        runs = engine(archive, folder, wanted)
        try:
            asyncio.run(alone(runs, image, folder))
            asyncio.run(composed(runs, image, folder))
        finally:
            runs.close()
    print(f"container: {check.passed} checks passed with {runs.name}; the image has {size / 1e6:.1f} MB, ", end="")
    print(f"{whole / 1e6:.1f} MB unpacked; in {time.monotonic() - began:.0f} s")


checked(main)
