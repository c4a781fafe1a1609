"""HTTP clients of other projects talk to our server: curl, nghttp, h2load, Python's httpx and Go's client.

usage: check.py PATH_OF_SERVERPROBE
"""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(__file__.rsplit("/", 3)[0])

import httpx
from kit.certificate import certificate
from kit.checks import Checks, checked

PROGRAM = sys.argv[1]
check = Checks("clients")


def run(*command, data=None):
    """The output, and whether the program succeeded."""
    done = subprocess.run(command, input=data, capture_output=True, timeout=60)
    return done.stdout, done.stderr.decode(errors="replace"), done.returncode


class Server:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        self.certificate, _, both = certificate(folder)
        self.process = subprocess.Popen([PROGRAM, "--certificate", both], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().split()
        check(line[:1] == ["ready"], "the server starts", line)
        self.base, self.plain = f"https://localhost:{line[1]}", f"http://localhost:{line[2]}"
        self.port = line[1]
        self.file = str(folder / "body")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def body(self, count):
        """A file of that size, and its bytes."""
        data = os.urandom(count)
        pathlib.Path(self.file).write_bytes(data)
        return self.file, data


# --- curl ----------------------------------------------------------------------------------------


def curl(server, *options, code=200, version=None, path="/a", base=None):
    """The body, once status and version are as expected."""
    output, errors, result = run(
        "curl",
        "--silent",
        "--show-error",
        "--max-time",
        "20",
        "--cacert",
        server.certificate,
        "--write-out",
        "%{stderr}%{http_code} %{http_version} %{num_connects}\n",
        *options,
        (base or server.base) + path,
    )
    what = f"curl {' '.join(options)} {path}"
    check(result == 0, what, errors)
    status, spoken, *_ = errors.splitlines()[-1].split()
    check(int(status) == code, f"{what}: status {code}", errors)
    check(version in (None, spoken), f"{what}: HTTP/{version}", errors)
    return output


def check_curl(server):
    for option, version in (("--http1.1", "1.1"), ("--http2", "2")):
        for tls in ("--tlsv1.3", "--tls-max=1.2"):
            tls = tls.replace("=", " ").split()
            for count in (0, 1, 200, 5_630):
                file, data = server.body(count)
                answer = curl(server, option, *tls, "--data-binary", f"@{file}", version=version)
                check(answer == data, f"curl {option} {tls} reads its {count} bytes again")
        _, data = server.body(5_631)
        curl(server, option, "--data-binary", f"@{server.file}", code=413, version=version)
        curl(server, option, "--head", version=version)
        check(
            curl(server, option, "--head", path="/bytes/1000").count(b"1000") == 1,
            f"curl {option} --head gets the length",
        )
        file, data = server.body(1_000_000)
        for more in ([], ["--header", "Expect: 100-continue"], ["--header", "Transfer-Encoding: chunked"]):
            answer = curl(server, option, *more, "--data-binary", f"@{file}", path="/upload", version=version)
            check(answer == data, f"curl {option} {more} reads its megabyte again")
        check(len(curl(server, option, path="/bytes/8000000")) == 8_000_000, f"curl {option} reads eight megabytes")
    check(curl(server, "--http1.0", "--data", "x") == b"x", "curl gets an answer with HTTP/1.0")
    in_clear(server)
    reuse(server)
    resumption(server)


def in_clear(server):
    check(curl(server, "--data", "x", base=server.plain, version="1.1") == b"x", "curl gets an answer without TLS")
    # The server offers no HTTP/2 without TLS: it ignores an offer to upgrade and refuses the rest.
    check(
        curl(server, "--http2", "--data", "x", base=server.plain, version="1.1") == b"x",
        "the server ignores curl's offer of h2c",
    )
    _, errors, result = run("curl", "--silent", "--show-error", "--http2-prior-knowledge", server.plain + "/a")
    check(result != 0, "HTTP/2 without TLS is refused", errors)


def reuse(server):
    for option in ("--http1.1", "--http2"):
        urls = [f"{server.base}/{number}" for number in range(50)]
        output, errors, result = run(
            "curl",
            "--silent",
            "--show-error",
            option,
            "--cacert",
            server.certificate,
            "--write-out",
            "%{http_code} %{num_connects}\n",
            *urls,
        )
        lines = output.decode().split("\n")[:-1]
        check(
            result == 0 and lines == ["200 1"] + ["200 0"] * 49,
            f"curl {option} gets 50 answers over one connection",
            errors or lines,
        )


def resumption(server):
    session = server.file + ".session"
    for version in ("-tls1_2", "-tls1_3"):
        request = b"GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        common = [
            "openssl",
            "s_client",
            version,
            "-connect",
            f"localhost:{server.port}",
            "-CAfile",
            server.certificate,
            "-ign_eof",
        ]
        first, _, _ = run(*common, "-sess_out", session, data=request)
        again, _, _ = run(*common, "-sess_in", session, data=request)
        check(b"New, TLS" in first and b" 200 OK" in first, f"{version}: a new session")
        check(
            b"Reused, TLS" in again and b" 200 OK" in again,
            f"{version}: a resumed session",
            again.decode(errors="replace"),
        )


# --- nghttp and h2load ---------------------------------------------------------------------------


def nghttp(server, *options, path="/a", data=None, expected=200):
    """The received data, once every stream has ended with the expected status."""
    command = ["nghttp", "--no-verify-peer", "--verbose", "--no-push", *options]
    if data is not None:
        command += ["--data", server.file]
    output, errors, result = run(*command, server.base + path)
    statuses = re.findall(r":status: (\d+)", output.decode(errors="replace"))
    expected = expected if isinstance(expected, set) else {str(expected)}
    check(
        result == 0 and set(statuses) == expected,
        f"nghttp {' '.join(options)} {path}: {expected}",
        f"{errors}\n{statuses}",
    )
    return output, len(statuses)


def check_nghttp(server):
    _, data = server.body(5_000)
    for options in (
        [],
        ["--padding=200"],
        ["--no-dep"],
        ["--trailer=x-checksum: 1"],
        ["--no-content-length"],
        ["--header-table-size=0"],
        ["--encoder-header-table-size=0"],
    ):
        output, _ = nghttp(server, *options, data=data)
        check(data in output, f"nghttp {options} reads its body again")
    # These fields are 32 KB long.
    nghttp(server, "--continuation", expected=431)
    _, statuses = nghttp(server, "--expect-continue", data=data, expected={"100", "200"})
    check(statuses == 2, "nghttp --expect-continue gets status 100", statuses)
    for bits in ("8", "12", "30"):
        output, errors, result = run(
            "nghttp", "--no-verify-peer", f"-w{bits}", f"-W{max(16, int(bits))}", server.base + "/bytes/300000"
        )
        check(result == 0 and len(output) == 300_000, f"nghttp -w{bits} reads the whole answer", errors)
    server.body(1_000_000)
    nghttp(server, path="/upload", data=b"")
    _, answers = nghttp(server, "--multiply=90")
    check(answers == 90, "nghttp gets 90 answers over one connection", answers)
    long = "x: " + "y" * 10_000
    nghttp(server, "--header", long)
    nghttp(server, "--header", long, "--header", long, expected=431)


def check_h2load(server):
    server.body(200)
    for options in (
        ["--h1", "-c", "100"],
        ["-c", "1", "-m", "100"],
        ["-c", "100", "-m", "10"],
        ["-c", "10", "-m", "100", "-w", "10"],
    ):
        count = 20_000
        output, errors, _ = run("h2load", "-n", str(count), "-d", server.file, *options, server.base + "/a")
        seen = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", output.decode())
        check(seen and seen.groups() == (str(count), "0", "0", "0"), f"h2load {options}", output.decode() + errors)
        check(f"{count} 2xx" in output.decode(), f"h2load {options}: all are 2xx", output.decode())
    output, _, _ = run("h2load", "-n", "500", "-c", "500", server.base + "/bytes/20000")
    check("500 2xx" in output.decode(), "h2load: 500 connections", output.decode())


# --- Go ------------------------------------------------------------------------------------------


def check_go(server):
    """Uses the standard library alone, so nothing is downloaded."""
    program = server.file + ".pushes"
    environment = os.environ | {
        "CGO_ENABLED": "0",
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOPROXY": "off",
        "GOCACHE": server.file + ".cache",
    }
    subprocess.run(
        ["go", "build", "-o", program, pathlib.Path(__file__).with_name("pushes.go")],
        check=True,
        env=environment,
        timeout=600,
    )
    output, errors, result = run(program, server.base, server.certificate, "20000")
    check(
        result == 0 and output == b"20000 answers over 1 connections\n",
        "Go: 20,000 pushes over one connection",
        f"{output} {errors}",
    )


# --- httpx ---------------------------------------------------------------------------------------


async def check_httpx(server):
    context = httpx.create_ssl_context(verify=server.certificate)
    for is_http2 in (False, True):
        limits = httpx.Limits(max_connections=1)
        async with httpx.AsyncClient(
            http1=not is_http2, http2=is_http2, verify=context, limits=limits, timeout=20, base_url=server.base
        ) as client:
            await exchange(client, "HTTP/2" if is_http2 else "HTTP/1.1")
        async with httpx.AsyncClient(
            http1=not is_http2, http2=is_http2, verify=context, limits=limits, timeout=60, base_url=server.base
        ) as client:
            await pushes(client, 20_000 if is_http2 else 2_000)


async def pushes(client, count):
    """Answers without a body, like those to pushes, over one connection. httpx opens the window of each stream."""
    seen, addresses = set(), set()

    async def push():
        answer = await client.post("/a")
        seen.add((answer.status_code, answer.http_version))
        addresses.add(answer.extensions["network_stream"].get_extra_info("client_addr"))

    for _ in range(count // 100):
        await asyncio.gather(*(push() for _ in range(100)))
    check(len(seen) == 1 and 200 in next(iter(seen)), f"httpx: {count} answers", seen)
    # An HTTP/1.1 connection ends after 10,000 requests.
    check(len(addresses) == 1, f"httpx: {count} requests over one connection", addresses)


async def exchange(client, version):
    bodies = [os.urandom(index * 50) for index in range(100)]
    answers = await asyncio.gather(*(client.post(f"/p/{index}?q=ä", content=body) for index, body in enumerate(bodies)))
    for index, (answer, body) in enumerate(zip(answers, bodies)):
        what = f"httpx over {version}: request {index} of 100 at once"
        check(answer.status_code == 200 and answer.http_version == version, what, answer)
        check(answer.content == body, f"{what}: the body comes back")
        check(answer.headers["x-target"] == f"/p/{index}?q=%C3%A4", f"{what}: the target comes back")
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer = await client.request(method, "/m")
        check(answer.headers["x-method"] == method, f"httpx over {version}: {method}", answer)
    answer = await client.get("/h", headers={f"x-{index}": "v" * 150 for index in range(80)})
    check(answer.status_code == 200, f"httpx over {version}: 80 long headers", answer)
    answer = await client.get("/h", headers={"x": "v" * 17_000})
    check(answer.status_code == 431, f"httpx over {version}: a header of 17,000 bytes", answer)
    await streaming(client, version)


async def streaming(client, version):
    async def pieces():
        for index in range(300):
            yield bytes([index % 256]) * 10_000

    answer = await client.post("/upload", content=pieces())
    whole = b"".join([piece async for piece in pieces()])
    check(answer.content == whole, f"httpx over {version}: three megabytes in pieces", answer)
    async with client.stream("GET", "/bytes/3000000") as answer:
        count = 0
        async for piece in answer.aiter_bytes():
            count += len(piece)
    check(count == 3_000_000, f"httpx over {version}: three megabytes as they come", count)


def main():
    with Server() as server:
        for part in (check_curl, check_nghttp, check_h2load, check_go):
            part(server)
        asyncio.run(check_httpx(server))
        check(server.process.poll() is None, "the server stays up")
    print(f"clients: {check.passed} checks passed")


checked(main)
