"""Prosody's mod_unified_push, of Debian's prosody-modules: a push server that delivers bytes over XMPP.

    .ci/lent prosody prosody-modules -- tools/conformance --adapter prosody

The client of its pushes, with the keys, is this adapter. The server does not look into a payload, so it has no screen.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

from adapter import Adapter
from casebook import NotOffered
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from kit.certificate import free_port
from kit.coding import encode
from kit.sealing import opened, point

LENT = pathlib.Path(os.environ.get("LENT", "/"))
PUSH = "{http://gultsch.de/xmpp/drafts/unified-push}"

CONFIGURATION = """
daemonize = false
data_path = "{folder}"
pidfile = "{folder}/pid"
log = {{ warn = "{folder}/log" }}
plugin_paths = {{ "{lent}/usr/lib/prosody/modules" }}
modules_enabled = {{ "saslauth"; "disco"; "http"; "unified_push" }}
modules_disabled = {{ "s2s"; "offline"; "posix" }}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {c2s} }}
http_ports = {{ {http} }}
http_interfaces = {{ "127.0.0.1" }}
https_ports = {{}}
c2s_require_encryption = false
authentication = "anonymous"
unified_push_backend = "jwt"
unified_push_secret = "a secret that lasts for one run"
VirtualHost "localhost"
"""


class Server(Adapter):
    name = "prosody"

    def __init__(self):
        self.script = LENT / "usr/bin/prosody"
        if not self.script.exists():
            raise OSError("start it as .ci/lent prosody prosody-modules -- tools/conformance --adapter prosody")

    def version(self):
        packages = ("prosody", "prosody-modules")
        lines = subprocess.run(["apt-cache", "policy", *packages], capture_output=True, text=True).stdout
        found = re.findall(r"Candidate: (\S+)", lines)
        return " with ".join(f"{name} {version}" for name, version in zip(packages, found))

    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        ports = [free_port(), free_port()]
        settings = {"folder": self.folder.name, "lent": LENT, "c2s": ports[0], "http": ports[1]}
        configuration = pathlib.Path(self.folder.name, "prosody.cfg.lua")
        configuration.write_text(CONFIGURATION.format(**settings))
        # Debian's paths are written into the script; these packages lie elsewhere.
        script = pathlib.Path(self.folder.name, "prosody")
        script.write_text(self.script.read_text().replace("/usr/lib/prosody", f"{LENT}/usr/lib/prosody"))
        scripts = [f"{LENT}/usr/share/lua/5.4/?.lua", f"{LENT}/usr/share/lua/5.4/?/init.lua"]
        folders = list((LENT / "usr/lib").glob("*-linux-gnu*/lua/5.4"))
        environment = {
            **os.environ,
            "LUA_PATH": ";".join(scripts) + ";;",
            "LUA_CPATH": ";".join(f"{folder}/?.so" for folder in folders) + ";;",
            "PROSODY_CONFIG": str(configuration),
        }
        self.process = subprocess.Popen(
            ["lua5.4", str(script), "--config", str(configuration)],
            env=environment,
            stdout=open(f"{self.folder.name}/output", "wb"),
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                self.client = Client(ports[0])
                return
            except OSError:
                time.sleep(0.1)
        raise OSError(pathlib.Path(self.folder.name, "output").read_text()[-500:])

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()

    def register(self, dialect, **terms):
        if dialect != "telegram" or set(terms) - {"keys"}:
            raise NotOffered("the server does not look into a payload")
        endpoint, instance = self.client.register()
        made = {"id": instance, "account": instance, "endpoint": endpoint, "token": endpoint}
        if terms.get("keys", True):
            key, auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
            keys = {"p256dh": encode(point(key)), "auth": encode(auth)}
            made.update(keys, token=json.dumps({"endpoint": endpoint, "keys": keys}))
            self.client.keys[instance] = (key, auth)
        return made

    def received(self, id):
        texts = []
        for body in self.client.take(id):
            try:
                texts.append(opened(body, *self.client.keys[id]).decode())
            except (ValueError, InvalidTag):
                # The client cannot read it, so the application does not get it.
                continue
        return texts

    def signals(self, id):
        return len(self.client.take(id))


class Client:
    """As much of an XMPP client as is needed to subscribe and to take pushes."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.keys, self.pushes, self.answers = {}, {}, {}
        self.changed = threading.Condition()
        self.open()
        self.say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>")
        self.until("success")
        self.open()
        self.say("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        self.until("iq")
        threading.Thread(target=self.listen, daemon=True).start()

    def open(self):
        """Begins a stream, the first or the one after the greeting."""
        streams = "xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
        self.say(f"<stream:stream to='localhost' {streams} version='1.0'>")
        self.parser = ElementTree.XMLPullParser(["start", "end"])
        self.depth = 0
        self.until("features")

    def say(self, text):
        self.socket.sendall(text.encode())

    def stanzas(self):
        while data := self.socket.recv(65536):
            self.parser.feed(data)
            for event, element in self.parser.read_events():
                self.depth += 1 if event == "start" else -1
                if event == "end" and self.depth == 1:
                    yield element

    def until(self, name):
        for element in self.stanzas():
            if element.tag.endswith("}" + name):
                return
        raise OSError("the stream has ended")

    def listen(self):
        self.socket.settimeout(None)
        for stanza in self.stanzas():
            push = stanza.find(PUSH + "push")
            with self.changed:
                if push is not None:
                    self.pushes.setdefault(push.get("instance"), []).append(base64.b64decode(push.text))
                    self.say(f"<iq type='result' id='{stanza.get('id')}' to='localhost'/>")
                else:
                    self.answers[stanza.get("id")] = stanza
                self.changed.notify_all()

    def register(self):
        name = base64.b64encode(hashlib.sha256(os.urandom(8)).digest()).decode()
        id = name[:8].replace("/", "-")
        names = f"xmlns='{PUSH[1:-1]}' application='{name}' instance='{name}'"
        self.say(f"<iq type='set' id='{id}' to='localhost'><register {names}/></iq>")
        with self.changed:
            if not self.changed.wait_for(lambda: id in self.answers, 10):
                raise OSError("no answer to a registration")
            return self.answers[id].find(PUSH + "registered").get("endpoint"), name

    def take(self, instance):
        with self.changed:
            return self.pushes.pop(instance, [])
