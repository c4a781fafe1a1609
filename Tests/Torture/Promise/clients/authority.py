"""A certificate authority of the run's own: for the server, and for applications whose callbacks use TLS."""

import datetime
import ipaddress
import os
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Certificates stay valid when the time of day jumps by ten years, both ways.
YEARS = datetime.timedelta(days=20 * 365)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


class Authority:
    def __init__(self, folder):
        self.folder, self.path = folder, folder / "ca.pem"
        self.key = ec.generate_private_key(ec.SECP256R1())
        limits = x509.BasicConstraints(ca=True, path_length=0)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        made = self.begin("torture", self.key).add_extension(limits, True).add_extension(usage, True)
        self.path.write_bytes(made.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def begin(self, text, key):
        now = datetime.datetime.now(datetime.UTC)
        made = x509.CertificateBuilder(issuer_name=name("torture"), subject_name=name(text))
        made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        made = made.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), False)
        return made.not_valid_before(now - YEARS).not_valid_after(now + YEARS)

    def certify(self, address, label):
        """The files of a new certificate for localhost and this address, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address(address))]
        made = self.begin(address, key).add_extension(x509.SubjectAlternativeName(names), False)
        made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        files = self.folder / f"{label}.pem", self.folder / f"{label}-key.pem"
        texts = made.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM), pem(key)
        for file, text in zip(files, texts):
            # The server never finds half a file.
            draft = file.with_suffix(".new")
            draft.touch(mode=0o600)
            draft.write_bytes(text)
            os.replace(draft, file)
        return files

    def trusted(self, protocol=None):
        """What a client needs, with HTTP/2 if it says so."""
        context = ssl.create_default_context(cafile=self.path)
        if protocol:
            context.set_alpn_protocols([protocol])
        return context

    def proven(self, address, label):
        """What a receiver at this address needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certify(address, label))
        return context
