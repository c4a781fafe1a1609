"""The programs of other TLS libraries that join a stream with a server, as a table."""

import dataclasses
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
AES128, AES256, CHACHA20 = "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
X25519, P256 = "x25519", "p256"
# All suites and both groups in as few connections as possible.
CHOICES = ((AES128, X25519), (AES256, P256), (CHACHA20, X25519))
# Where the library chooses the suite.
OWN = (("", X25519), ("", P256))


@dataclasses.dataclass
class Program:
    """How one is started. In `words`, {port}, {suite}, {group}, {times} and {file} are filled in by `names`."""

    name: str
    words: list
    choices: tuple = CHOICES
    # What the program calls suites and groups.
    names: dict = dataclasses.field(default_factory=dict)
    # Commands that update its own keys, or those of both ends, which it gets in turn. Others do it by volume, or never.
    updates: tuple = ()
    # Whether the end of its input is a close_notify, after which it reads on.
    halves: bool = True
    # Whether it can resume a session, and the words for that, if these are others.
    resumes: bool = True
    resuming: list | None = None
    environment: dict = dataclasses.field(default_factory=dict)
    # Whether it says that this suite was agreed on, and a session resumed or not, if it says that in its own way.
    says: object = None

    def command(self, port, suite, group, resumes, folder):
        words = self.resuming if resumes and self.resuming else self.words
        filled = {
            "port": port,
            "suite": self.names.get(suite, suite),
            "group": self.names.get(group, group),
            "times": "again" if resumes else "once",
            "file": f"{folder}/{suite}.session",
        }
        return [str(word).format(**filled) for word in words]

    def agreed(self, suite, resumes, said):
        """Whether the program says that this suite was taken, and that a session was resumed or not."""
        if self.says:
            return self.says(self.names.get(suite, suite), resumes, said)
        word = "resumed" if resumes else "new"
        return any(f"{one} {word}" in said for one in (suite, self.names.get(suite, suite)))


def built(folder):
    """Those of C and Go."""
    c, go = f"{folder}/through-c", f"{folder}/through-go"
    lent = os.environ["LENT"]
    library = f"{lent}/usr/lib/{os.uname().machine}-linux-gnu"
    words = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{lent}/usr/include", HERE / "through.c", "-o", c]
    subprocess.run([*words, f"-L{library}", "-lwolfssl"], check=True, timeout=120)
    environment = {"CGO_ENABLED": "0", "GO111MODULE": "off", "GOFLAGS": "", "GOPROXY": "off"}
    environment["GOCACHE"] = f"{folder}/cache"
    words = ["go", "build", "-o", go, HERE / "through.go"]
    subprocess.run(words, check=True, env=os.environ | environment, timeout=600)
    return c, go


def escript(root):
    """What runs a script of Erlang, and with which environment: its own programs know only the place where they were
    installed.
    """
    place = next(root.glob("erts-*/bin"))
    words = [place / "erlexec", "-boot", "no_dot_erlang", "-noinput", "-run", "escript", "start", "-extra"]
    return words, {"ROOTDIR": str(root), "BINDIR": str(place), "EMU": "beam", "PROGNAME": "erl"}


def programs(folder):
    c, go = built(folder)
    lent = os.environ["LENT"]
    common = ["{port}", "{suite}", "{group}", "{times}"]
    client = ["openssl", "s_client", "-brief", "-tls1_3", "-connect", "127.0.0.1:{port}", "-servername", "localhost"]
    client += ["-ciphersuites", "{suite}", "-groups", "{group}"]
    gnutls = ["gnutls-cli", "--inline-commands", "--insecure", "--no-ca-verification", "--logfile=/dev/stderr"]
    gnutls += ["--priority=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+{suite}:-GROUP-ALL:+{group}", "--port={port}"]
    nss = ["tstclnt", "-h", "127.0.0.1", "-a", "localhost", "-p", "{port}", "-V", "tls1.3:tls1.3", "-D", "-o"]
    nss += ["-c", "{suite}", "-I", "{group}"]
    python = [sys.executable, HERE / "through.py"]
    erlang = escript(pathlib.Path(lent, "usr/lib/erlang"))
    jdk = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", HERE / "Through.java"]
    return [
        Program(
            "OpenSSL",
            [*client, "-sess_out", "{file}"],
            names={P256: "P-256", X25519: "X25519"},
            updates=("k\n", "K\n"),
            # It leaves at the end of its input.
            halves=False,
            resuming=[*client, "-sess_in", "{file}"],
            says=lambda suite, resumes, said: f"Ciphersuite: {suite}" in said,
        ),
        Program(
            "Python's ssl",
            [*python, "ssl", "{port}", "{group}", "{times}"],
            (("", ""), ("", P256)),
            {P256: "prime256v1"},
        ),
        Program(
            "GnuTLS",
            [*gnutls, "localhost"],
            names={
                AES128: "AES-128-GCM",
                AES256: "AES-256-GCM",
                CHACHA20: "CHACHA20-POLY1305",
                X25519: "GROUP-X25519",
                P256: "GROUP-SECP256R1",
            },
            updates=(*["^rekey1^\n"] * 9, "^rekey^\n"),
            halves=False,
            resuming=[*gnutls, "--resume", "localhost"],
            says=lambda suite, resumes, said: suite in said and ("This is a resumed session" in said) == resumes,
        ),
        Program(
            "NSS",
            nss,
            names={AES128: ":1301", AES256: ":1302", CHACHA20: ":1303", P256: "P256"},
            # It never ends its half, and says nothing about what was agreed on.
            halves=False,
            resumes=False,
            says=lambda suite, resumes, said: True,
        ),
        Program("BoringSSL", [*python, "utls", "{port}", "", "{times}"], (("", ""),), resumes=False),
        Program("rustls", [*python, "rtls", "{port}", "", "{times}"], (("", ""),), resumes=False, halves=False),
        Program("Go", [go, "{port}", "{group}", "{times}"], OWN),
        Program("Java", [*jdk, *common], names={P256: "secp256r1"}),
        Program("Node", ["node", HERE / "through.js", *common], names={X25519: "X25519", P256: "P-256"}),
        Program(
            "Erlang", [*erlang[0], HERE / "through.escript", *common], names={P256: "secp256r1"}, environment=erlang[1]
        ),
        Program(
            "wolfSSL",
            [c, *common],
            names={
                AES128: "TLS13-AES128-GCM-SHA256",
                AES256: "TLS13-AES256-GCM-SHA384",
                CHACHA20: "TLS13-CHACHA20-POLY1305-SHA256",
                X25519: "29",
                P256: "23",
            },
        ),
    ]
