# SPDX-License-Identifier: MIT
"""The web page in Chromium, for its tests, screenshots and benchmark."""

import json
import re

from .browser import chromium
from .waiting import wait_for

DRAWN = """return [...document.querySelectorAll('.chart:not([hidden]) .plot')].map((plot) => plot.getAttribute('aria-label'))"""
OWN = re.compile(r"(http://([^/@]*@)?127\.0\.0\.1:|data:|chrome:)")


class Page:
    """The page in Chromium, without animations, in its own tab; `driver` is selenium's."""

    def __init__(self, driver=None, dark=False, **options):
        self.driver = driver or chromium(**options)
        self.media(dark=dark)
        self.expected = ()  # substrings of expected console messages

    def media(self, dark=False, calm=True, forced=False, kind=""):
        self.command("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "forced-colors", "value": "active" if forced else "none"},
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
        ])

    def size(self, width, height=800):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def headers(self, **headers):
        """Adds these headers to each request."""
        self.command("Network.setExtraHTTPHeaders", headers=headers)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    @property
    def url(self):
        return self.driver.current_url

    def open(self, address):
        self.driver.get(address)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent)", selector)

    def click(self, selector, text):
        """Clicks the first element with this text."""
        next(element for element in self.all(selector) if element.text == text).click()

    def keys(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def wait_for_cards(self, count):
        wait_for(f"{count} cards are shown", lambda: len(self.all(".card")) == count)

    def charts_are_drawn(self):
        labels = self.script(DRAWN)
        return labels and all(labels) and any("lowest" in label for label in labels)

    def wait_for_charts(self, address=""):
        """Waits until the charts are drawn and the URL contains `address`."""
        wait_for(f"charts are drawn at {address}", lambda: address in self.url and self.charts_are_drawn())

    def unexpected_messages(self):
        """Unexpected console messages."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        return [message for message in messages if not any(part in message for part in self.expected)]

    def external_requests(self):
        """The requested URLs on other hosts."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not OWN.match(url)]
