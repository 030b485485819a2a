# SPDX-License-Identifier: MIT
"""Credentials of an exporter with access control, and its settings."""

import base64
import ssl

USER, PASSWORD, TOKEN = "scraper", "pa:ss wörd", "t0ken+/="
# The bcrypt hash of the password with cost 11: a check takes about a tenth of a second.
HASH = "$2b$11$abcdefghijklmnopqrstuud5rep7zWI61dEJDfiQbLI4OhLOg5x96"
BASIC = {"Authorization": "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()}
ENVIRONMENT = {"WINPOWER_EXPORTER_SERVER_AUTH_BEARER_TOKEN": TOKEN}


def tls(identity, **more):
    """Settings of `server` for TLS and authentication; identity is a certificate and its key."""
    return {
        "tls": {"cert_file": identity[0], "key_file": identity[1], **more},
        "auth": {"username": USER, "password_hash": HASH},
    }


def trusting(certificates):
    return ssl.create_default_context(cafile=certificates.authority)
