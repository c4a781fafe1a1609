"""The tortured server: started again and again with the same state, and seen from outside."""

import asyncio
import json
import mmap
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess

HERE = pathlib.Path(__file__).parent


class Meddler:
    """Changes the results of the server's system calls: another time of day, a failing disk."""

    NOTHING, READ_ONLY, BROKEN, FULL = range(4)

    def __init__(self, folder):
        self.library = folder / "meddle.so"
        if not self.library.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library, HERE / "meddle.c", "-ldl"], check=True)
        self.path = folder / "meddle"
        self.path.write_bytes(bytes(24))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 24)

    def set(self, offset=0, fault=NOTHING, slept=0):
        """How many seconds the time of day is ahead, how the disk fails, and how many seconds the machine slept."""
        self.page[:24] = struct.pack("qqq", int(offset * 1e9), fault, int(slept * 1e9))

    def environment(self, state):
        return {"LD_PRELOAD": str(self.library), "MEDDLE": str(self.path), "MEDDLE_FOLDER": str(state)}


class Server:
    program = ""

    def __init__(self, folder, log, state=None, is_meddled=False):
        self.folder, self.log = folder, log
        self.state = state or folder / "state"
        self.meddler = Meddler(folder) if is_meddled else None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process, self.lives = None, 0
        self.output = open(folder / "output", "ab")

    def command(self):
        return [
            self.program,
            "serve",
            "--listen",
            f"http://127.0.0.1:{self.port}",
            "--state",
            str(self.state),
            "--keys",
            str(self.folder / "keys"),
        ]

    async def start(self, within=20):
        """Whether it is ready."""
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "HOME": str(self.folder)}
        if self.meddler:
            environment |= self.meddler.environment(self.state)
        self.lives += 1
        self.log.note("start", life=self.lives)
        self.process = await asyncio.create_subprocess_exec(
            *self.command(), stdout=asyncio.subprocess.PIPE, stderr=self.output, env=environment
        )
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), within)
        except TimeoutError:
            line = b""
        self.output.write(line)
        is_ready = line.startswith(b"bellwire: ready")
        self.log.note("ready" if is_ready else "failed", life=self.lives)
        return is_ready

    async def control(self, method, path, body=None):
        """Status and answer of the control socket, whose users may do everything."""
        data = json.dumps(body).encode() if body else b""
        reader, writer = await asyncio.open_unix_connection(str(self.state / "control.sock"))
        writer.write(
            f"{method} /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            "Content-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n".encode()
            + data
        )
        head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        if not head:
            raise ConnectionResetError
        return int(head.split(b" ", 2)[1]), json.loads(rest) if rest else None

    async def kill(self, how=signal.SIGKILL):
        """Kills all its processes without warning."""
        self.log.note("kill", life=self.lives, signal=int(how))
        try:
            self.process.send_signal(how)
        except ProcessLookupError:
            pass
        code = await self.process.wait()
        self.output.write(await self.process.stdout.read())
        self.output.flush()
        self.log.note("dead", life=self.lives, code=code)
        return code

    def measure(self, when):
        """Descriptors, resident bytes, and the size of the write-ahead log."""
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        wal = self.state / "bellwire.db-wal"
        self.log.note(
            "measure",
            when=when,
            descriptors=len(os.listdir(folder / "fd")),
            memory=int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
            wal=wal.stat().st_size if wal.exists() else 0,
        )

    def show_process(self):
        """What other users can see of the process."""
        for name in ("cmdline", "status", "maps", "stat"):
            try:
                text = pathlib.Path(f"/proc/{self.process.pid}/{name}").read_text()
                self.log.note("shown", where=f"/proc/PID/{name}", text=text)
            except OSError:
                pass

    def show_output(self):
        self.output.flush()
        text = (self.folder / "output").read_text(errors="replace")
        self.log.note("shown", where="output", text=text)

    def show_files(self):
        """A copy of its files on the disk, for the checker."""
        copy = self.log.path.with_suffix(".state")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.state, copy, ignore=shutil.ignore_patterns("keys", "*.sock", "control*"))
        self.log.note("files", folder=str(copy))
