# SPDX-License-Identifier: MIT
import subprocess

NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
LOOPBACK = "DNS:localhost,IP:127.0.0.1,IP:::1"


class Certificates:
    """A test CA and the certificates it issues, created with openssl."""

    def __init__(self, directory):
        self.directory = directory
        self.authority, self.authority_key = directory / "authority.pem", directory / "authority.key"
        self.openssl("req", "-x509", *NEW_KEY, "-days", "2", "-subj", "/CN=Test authority",
                     "-keyout", self.authority_key, "-out", self.authority)

    def openssl(self, *arguments):
        done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"openssl {arguments}: {done.stderr}"

    def issue(self, name, alternative_names=LOOPBACK):
        """The paths of a certificate and its key."""
        certificate, key, request = (self.directory / f"{name}.{suffix}" for suffix in ("pem", "key", "csr"))
        extensions = self.directory / f"{name}.ext"
        extensions.write_text(f"subjectAltName={alternative_names}\nextendedKeyUsage=serverAuth,clientAuth\n")
        self.openssl("req", "-new", *NEW_KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.authority_key, "-CAcreateserial",
                     "-days", "2", "-extfile", extensions, "-out", certificate)
        return certificate, key
