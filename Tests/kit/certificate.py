"""Certificates and ports for servers of this machine."""

import pathlib
import socket
import subprocess

REQUEST = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split()


def certificate(folder, name="localhost", days=30, serial=None, label=""):
    """A new certificate that signs itself, in chain.pem, its key in key.pem, and both in both.pem: these paths. A label
    comes before their names.
    """
    chain, key, both = (pathlib.Path(folder, f"{label}{part}.pem") for part in ("chain", "key", "both"))
    words = ["-days", str(days), "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"]
    if serial:
        words += ["-set_serial", str(serial)]
    subprocess.run([*REQUEST, *words, "-keyout", key, "-out", chain], check=True, capture_output=True)
    both.write_text(chain.read_text() + key.read_text())
    return str(chain), str(key), str(both)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
