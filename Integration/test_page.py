# SPDX-License-Identifier: MIT
"""The web page in a real Chromium: on a running demo, whose values it must show, and on a hub, whose nodes and UPSes
have hostile names. After each test the console must be empty, without requests to other hosts."""

import base64
import json
import re
import time
import urllib.parse

import pytest

from support.page import Page
from support.programs import ROOT, execute
from support.waiting import wait_for
from support.web import get, send

ASSETS = ROOT / "Sources" / "WPFleet" / "Page" / "assets"
TOKEN = "page-test"
HOSTILE = "<img src=x onerror=document.title='hacked'>\u202e&amp;'\"`"
UPSES = "/api/v2/clusters/default/ups"
ENTER, SPACE, END, LEFT = "\ue007", "\ue00d", "\ue010", "\ue012"
DARK = "rgb(16, 22, 20)"

CONTRAST = """
const luminance = (rgb) => rgb.map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
};
const bad = [];
for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".unseen, .skip, option")) continue;
    const [a, b] = [parse(getComputedStyle(element).color).slice(0, 3), behind(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${element.tagName}.${element.className} "${element.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`);
}
return bad;
"""

REMOVAL = """return [...document.querySelectorAll("main button")].find((one) => one.textContent.startsWith("Remove this device")
    && one.checkVisibility())"""

BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
BANNER_IS_HIDDEN = "return document.getElementById('banner').hidden"

pytestmark = pytest.mark.needs("chromium", "chromium-driver", "fonts-dejavu-core", "python3-selenium")


def start_demo(programs, port=0):
    demo = programs.start("demo", [programs.binary, "demo", "--cycles", "0", "--port", port, "--nut"])
    demo.url = demo.wait_for("the demo serves", lambda: re.search(r"page +(http://\S+?)/\s", demo.text()))[1]
    return demo


@pytest.fixture(scope="module")
def demo(shared_programs):
    """A demo with five UPSes, which the tests of this file do not change."""
    return start_demo(shared_programs)


@pytest.fixture
def pages(browser):
    """Opens a page in a new Chromium."""
    opened = []

    def open_page(address, dark=False, **options):
        page = Page(browser(**options), dark=dark)
        opened.append(page)
        page.open(address)
        return page

    yield open_page
    for page in opened:
        assert page.unexpected_messages() == [], "the console is empty"
        assert page.external_requests() == [], "no other host was contacted"


@pytest.fixture
def fleet(pages, demo):
    page = pages(demo.url + "/")
    page.wait_for_cards(5)
    return page


@pytest.fixture
def devices(demo):
    return demo.get(UPSES).json()["ups"]


@pytest.fixture
def detail(pages, demo, devices):
    """The page of a UPS after its 30-day charts are drawn."""
    page = pages(f"{demo.url}/?ups={devices[0]['id']}&range=30d")
    page.wait_for_charts()
    return page


@pytest.fixture
def audit(virtualenv):
    """Checks a page with axe."""
    (script,) = virtualenv("axe-core-python==0.1.0").parent.parent.glob("lib/*/site-packages/axe_core_python/axe.min.js")

    def audit(page):
        page.script(script.read_text())
        found = page.driver.execute_async_script("axe.run().then(arguments[0])")
        assert [f"{rule['id']}: {rule['nodes'][0]['html'][:120]}" for rule in found["violations"]] == []

    return audit


def assert_fits(page, *widths):
    """Checks that nothing is wider than the screen; 320 pixels equal 1,280 at a zoom of 400 %."""
    for pixels in widths:
        page.size(pixels)
        assert page.script("return document.documentElement.scrollWidth") <= pixels


def heights(page, selector):
    return page.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.offsetHeight)", selector)


@pytest.mark.needs("python3-venv")
def test_the_linter_accepts_the_modules(virtualenv):
    execute(virtualenv("oxlint==1.89.0").with_name("oxlint"), "--deny-warnings", ASSETS, check=True)


def test_the_unit_tests_of_the_modules_pass(fleet):
    source = (ROOT / "Integration" / "page_units.js").read_text()
    address = fleet.script("return document.querySelector('script[type=module]').src")
    assert fleet.driver.execute_async_script(source, address) == []


def test_cards_match_the_api(fleet, demo):
    def cards_match():
        # Loads change every second, so this only holds right after a poll.
        cards = fleet.text(".card")
        return all(
            any(
                device["name"] in card and f"{device['load_watts']:,.0f} W" in card
                and f"{device['battery_percent']:.0f} %" in card for card in cards
            )
            for device in demo.get(UPSES).json()["ups"]
        )

    wait_for("the cards match the API", cards_match)


def test_text_has_sufficient_contrast_in_both_themes(fleet, detail):
    assert fleet.script(CONTRAST) == [] and detail.script(CONTRAST) == []
    fleet.media(dark=True)
    assert fleet.script(BACKGROUND) == DARK, "the page follows the system's theme"
    assert fleet.script(CONTRAST) == []


@pytest.mark.needs("python3-venv")
def test_axe_reports_no_violations(fleet, detail, audit):
    audit(fleet)
    audit(detail)
    detail.size(320)
    audit(detail)
    detail.all("#theme")[0].click()
    audit(detail)


def test_a_search_is_part_of_the_url_and_survives_navigation(fleet, devices):
    name = devices[3]["name"]
    fleet.all("#search")[0].send_keys(name)
    wait_for("a search leaves one card", lambda: fleet.text(".card h3") == [name])
    assert "q=" in fleet.url
    fleet.all(".card a")[0].click()
    wait_for("its card opens it", lambda: fleet.text("h2")[0] == name and fleet.driver.title.startswith(name))
    fleet.all("article a")[0].click()
    wait_for("the search is kept", lambda: fleet.text(".card h3") == [name]
             and fleet.script("return document.querySelector('#search').value") == name)
    fleet.all("#search")[0].clear()
    fleet.all("#search")[0].send_keys(" ")
    fleet.wait_for_cards(5)


def test_the_fleet_fits_narrow_and_wide_screens(fleet):
    assert_fits(fleet, 640, 3840, 320)
    assert 0 < max(heights(fleet, ".card .main > div")) < 45, "figures fit on one line"


def test_the_fleet_respects_colour_motion_and_print_preferences(fleet):
    bar = "return getComputedStyle(document.querySelector('.meter:not([hidden]) i'))."
    fleet.media(forced=True)
    assert fleet.script(bar + "backgroundColor") not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    fleet.media(calm=False)
    assert fleet.script(bar + "transitionDuration") == "0.4s"
    fleet.media(calm=True)
    assert fleet.script(bar + "transitionDuration") == "0s"
    fleet.media(kind="print")
    assert fleet.script("return [...document.querySelectorAll('[role=search], .top button')].every((one) => !one.checkVisibility())")
    paper = base64.b64decode(fleet.command("Page.printToPDF")["data"])
    assert paper.startswith(b"%PDF") and 0 < len(re.findall(rb"/Type /Page\s", paper)) < 4


def test_tiles_and_cards_summarize_the_fleet(fleet):
    assert fleet.text(".wide strong")[0] == "5 online"
    wait_for("the tiles are shown", lambda: fleet.text(".tiles li:not([hidden]) .note:first-child")
             == ["Devices", "Total load", "Shortest runtime", "Energy today", "Energy this month"])
    wait_for("cards have sparklines and today's energy", lambda: all("today" in card for card in fleet.text(".card")) and all(
        fleet.script("return [...document.querySelectorAll('.card path')].map((path) => path.getAttribute('d'))")))
    wait_for("the total power is drawn",
             lambda: "lowest" in fleet.script("return document.querySelector('.power .plot').ariaLabel"))
    fleet.all(".chip")[0].click()
    assert "state=online" in fleet.url and len(fleet.all(".card")) == 5, "a tile selects a state"


def test_the_table_can_be_sorted_by_keyboard(fleet, audit):
    fleet.click(".find button", "Table")
    wait_for("there is a table",
             lambda: len(fleet.all("section:not([hidden]) [role=row]")) == 6 and "view=table" in fleet.url)
    audit(fleet)

    def loads():
        return fleet.script("""return [...document.querySelectorAll('.long > .line')]
            .sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y)
            .map((row) => parseInt(row.children[2].textContent))""")

    fleet.script("[...document.querySelectorAll('[role=columnheader] button')][2].focus()")
    fleet.keys(ENTER)
    wait_for("the greatest load is first", lambda: "sort=-load" in fleet.url and (seen := loads()) == sorted(seen, reverse=True))
    fleet.keys(ENTER)
    wait_for("the smallest load is first", lambda: (seen := loads()) == sorted(seen))
    assert len(fleet.all("section:not([hidden]) [aria-sort=ascending]")) == 1


def test_the_page_only_requests_changes(fleet):
    fleet.script("performance.clearResourceTimings()")
    urls = wait_for("the page polls for changes", lambda: fleet.script(
        "return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => name.includes('/overview'))"))
    assert all("since=" in url for url in urls)


def test_a_card_opens_by_keyboard_with_all_ranges(fleet):
    fleet.script("document.querySelector('.card a').focus()")
    fleet.keys(ENTER)
    fleet.wait_for_charts("ups=")
    for words, name in (("1 hour", "1h"), ("6 hours", "6h"), ("24 hours", "24h"), ("7 days", "7d"), ("30 days", "30d")):
        button = next(button for button in fleet.all(".ranges button") if button.text == words)
        button.click()
        fleet.wait_for_charts(f"range={name}")
        wait_for(f"{words} is pressed", lambda: button.get_attribute("aria-pressed") == "true")


def test_charts_can_be_read_and_zoomed_by_keyboard(detail):
    detail.script("document.querySelector('.plot').focus()")
    detail.keys(END, LEFT)
    announced = wait_for("a point is read aloud", lambda: " · " in (text := detail.text("#live")[0]) and text)
    assert " %" in announced
    detail.keys("+")
    wait_for("the plus key zooms in", lambda: "from=" in detail.url)
    detail.driver.back()
    detail.wait_for_charts("range=30d")


def test_a_range_can_be_dragged_or_typed(detail):
    from selenium.webdriver.common.action_chains import ActionChains

    plot = detail.all(".plot")[0]
    detail.script("arguments[0].scrollIntoView({ block: 'center' })", plot)
    ActionChains(detail.driver).move_to_element(plot).click_and_hold().move_by_offset(80, 0).release().perform()
    detail.wait_for_charts("from=")
    detail.driver.back()
    detail.wait_for_charts("range=30d")
    detail.script("""document.querySelector('.menu').open = true;
        const [from, to] = document.querySelectorAll('.menu input');
        from.value = to.value.slice(0, 10) + 'T00:00';
        from.form.requestSubmit();""")
    detail.wait_for_charts("from=")


def test_a_chart_has_statistics_a_table_and_csv(detail):
    assert detail.text(".chart:not([hidden]) .stats thead th")[:4] == ["Min", "Avg", "Max", "Now"]
    detail.script("document.querySelector('.chart details summary').click()")
    wait_for("the table has rows", lambda: detail.all("details[open] tbody tr"))
    reply = get(detail.all(".chart a.button")[0].get_attribute("href"))
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/csv") and reply.text.count("\r\n") > 1


def test_a_ups_fits_narrow_and_wide_screens(detail):
    assert_fits(detail, 640, 3840, 320)
    assert max(heights(detail, ".chart:not([hidden]) .stats th")) < 35, "names fit on one line"


def test_zone_and_theme_have_buttons(detail):
    detail.all("#zone")[0].click()
    wait_for("the zone is UTC", lambda: "zone=utc" in detail.url and detail.text("#zone") == ["UTC"])
    wait_for("times are in UTC", lambda: "UTC" in detail.text("main > article > .note")[0] and detail.charts_are_drawn())
    detail.all("#theme")[0].click()
    assert detail.script(BACKGROUND) == DARK
    detail.driver.refresh()
    assert detail.script("return document.documentElement.dataset.theme") == "dark", "the theme is kept"


def test_the_crosshair_appears_in_all_charts(detail):
    from selenium.webdriver.common.action_chains import ActionChains

    plot = detail.all(".plot")[0]

    def crosshair_is_shown():
        detail.script("arguments[0].scrollIntoView({ block: 'center' })", plot)
        ActionChains(detail.driver).move_to_element(plot).move_by_offset(3, 0).perform()
        return detail.script("return [...document.querySelectorAll('.chart:not([hidden]) .tip')].every((tip) => !tip.hidden)")

    wait_for("the crosshair is in all charts", crosshair_is_shown)


def test_clicking_a_name_hides_its_curve(detail):
    key = wait_for("each curve has its name below",
                   lambda: next((key for key in detail.all("button.key") if key.text == "Output"), None))
    picture = "return arguments[0].closest('.chart').querySelector('canvas').toDataURL()"
    before = detail.script(picture, key)
    key.click()
    assert key.get_attribute("aria-pressed") == "false" and detail.script(picture, key) != before


def test_outages_are_listed_and_days_have_their_energy(detail):
    wait_for("outages are listed as events",
             lambda: any("On battery" in row and "15 min" in row for row in detail.text("section tbody tr")))
    bars = wait_for("days have bars", lambda: detail.text(".days li"))
    assert len(bars) > 28 and all("Wh" in bar for bar in bars)
    notes = detail.text("section .note")
    assert "UTC" in notes[-1] or any("days at the server" in note for note in notes), "it names the time zone of the days"


def test_an_unavailable_range_does_not_show_another_curve(detail):
    detail.script("""window.real = window.fetch;
        window.fetch = (url, options) => String(url).includes('/history') ? Promise.resolve(new Response('', { status: 503 }))
            : window.real(url, options);""")
    detail.click(".ranges button", "Earlier")
    wait_for("an error is shown", lambda: "from=" in detail.url and not detail.script(BANNER_IS_HIDDEN))
    assert set(detail.text(".stats tbody td")) == {"–"}
    detail.script("window.fetch = window.real")
    wait_for("the chart appears by itself", detail.charts_are_drawn)


def test_a_ups_shows_its_cost_and_its_upsmon_line(pages, demo, devices, audit):
    path = f"{UPSES}/{devices[0]['id']}"
    page = pages(f"{demo.url}/?ups={devices[0]['id']}")
    wait_for("there are costs in the currency of the tariff", lambda: page.script(
        "return [...document.querySelectorAll('.tiles li')].filter((one) => / EUR$/.test(one.textContent)).length") == 2)
    device = demo.get(path).json()
    days = demo.get(path + "/energy?period=day").json()["energy"]
    assert abs(sum(day["watt_hours"] for day in days) / device["energy_watt_hours"] - 1) < 0.001
    line = f"MONITOR {device['nut_name']}@127.0.0.1:{device['nut_port']} 1 <user> <password> secondary"
    wait_for("the line for upsmon.conf is shown", lambda: line in page.text("dd"))
    audit(page)
    assert_fits(page, 320)


def test_a_server_has_no_button_to_remove_a_ups(detail):
    detail.script("""window.real = window.fetch;
        window.fetch = async (url, options) => {
            const response = await window.real(url, options);
            if (!/\\/ups\\/[^/?]*$/.test(url)) return response;
            return new Response(JSON.stringify({ ...await response.json(), state: "offline", condition: "offline" }));
        };""")
    wait_for("a UPS is offline", lambda: detail.text("article .badge") == ["Offline"])
    assert not detail.script(REMOVAL)


def test_a_failing_or_slow_api_is_reported(fleet):
    fleet.script("""
        const real = window.fetch;
        window.failing = 'reject';
        window.late = [];
        window.fetch = (path, options) => !String(path).includes('/api/') || window.failing === 'no' ? real(path, options)
            : window.failing === 'late' ? new Promise((resolve) => window.late.push(resolve)).then(() => real(path, options))
            : Promise.resolve(new Response('not json', { status: 500 }));
    """)
    wait_for("a failure is reported", lambda: fleet.text("#banner")[0].endswith("(HTTP 500)."))
    assert all("W" in card for card in fleet.text(".card")), "the last values remain"
    fleet.script("window.failing = 'late'")
    wait_for("a request waits for its response", lambda: fleet.script("return window.late.length"))
    assert not fleet.script(BANNER_IS_HIDDEN), "the failure is reported until then"

    def is_accepted():
        fleet.script("window.late.splice(0).forEach((resolve) => resolve())")
        return fleet.script(BANNER_IS_HIDDEN)

    wait_for("a late response is accepted", is_accepted)
    fleet.script("document.documentElement.dataset.version = 'old'; window.failing = 'reject'")
    wait_for("a page of another version reloads itself",
             lambda: fleet.script("return document.documentElement.dataset.version") not in ("old", None))
    fleet.wait_for_cards(5)


def test_a_page_without_any_response_reports_the_reason(fleet):
    fleet.command("Page.addScriptToEvaluateOnNewDocument",
                  source="window.fetch = () => Promise.resolve(new Response('', { status: 500 }));")
    fleet.driver.refresh()
    wait_for("the reason is shown", lambda: fleet.text("#banner")[0].endswith("(HTTP 500)."))


def test_the_page_recovers_from_an_outage_of_the_server(programs, free_port, pages):
    port = free_port()
    demo = start_demo(programs, port)
    page = pages(demo.url + "/")
    page.expected = ("Failed to load resource",)
    page.wait_for_cards(5)
    before = page.text(".card h3")
    demo.stop()
    wait_for("the page reports that the server is unreachable", lambda: not page.script(BANNER_IS_HIDDEN))
    assert page.text(".card h3") == before, "it still shows the last values"
    start_demo(programs, port)
    wait_for("the page continues", lambda: page.script(BANNER_IS_HIDDEN))


def now(offset=0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + offset))


@pytest.fixture
def guarded(hub):
    """A hub that requires a token and knows a UPS and a node with hostile names; .report(kind, document) reports to
    it."""
    running = hub(environment={"WINPOWER_EXPORTER_HUB_TOKEN": TOKEN})
    authorization = {"Authorization": f"Bearer {TOKEN}"}

    def report(kind, document):
        reply = send(f"{running.url}/metrics/{kind}", "POST", {"timestamp": now(), **document},
                     {"Content-Type": "application/json", **authorization})
        assert reply.status == 200, reply.text

    running.report = report
    running.known = lambda: [device["id"] for device in running.get(UPSES, **authorization).json()["ups"]]
    report("ups", {"devices": [
        {"id": HOSTILE, "name": HOSTILE, "read_at": now(), "connected": True, "mode": "line", "load_percent": 12,
         "alarms": [{"text": HOSTILE}]}]})
    report("node", {
        "node_name": HOSTILE,
        "cpu": {"usage_percent": 50, "per_core": [10, 90, 0, 100]},
        "memory": {"used": 1 << 30, "total": 4 << 30, "usage_percent": 25},
        "disks": [{"device": "sda", "mount_point": "/", "total": 1 << 40, "usage_percent": 40}],
        "networks": [{"interface": "eth0", "status": "up"}],
        "temperature": {"cpu_temp": 50, "sensors": [{"name": "core", "current": 50}]},
        "processes": [{"pid": 1, "name": HOSTILE, "cpu_percent": 9}, {"pid": 99, "name": "other", "cpu_percent": 1}]})
    return running


@pytest.fixture
def guest(pages, guarded):
    """A page of that hub that sends the token; .visit(query) opens another URL."""
    page = pages("about:blank")
    page.headers(Authorization=f"Bearer {TOKEN}")
    page.visit = lambda **query: page.open(f"{guarded.url}/?{urllib.parse.urlencode(query)}")
    page.visit()
    page.wait_for_cards(2)
    return page


def test_hostile_names_are_shown_as_text(guest):
    assert guest.text(".card h3") == [HOSTILE, HOSTILE]
    for index, kind in enumerate(("ups", "node")):
        guest.script("document.querySelectorAll('.card a')[arguments[0]].click()", index)
        wait_for(f"the {kind} opens", lambda: f"{kind}=" in guest.url and guest.all(".plot"))
        assert guest.text("h2")[0] == HOSTILE
        guest.driver.back()
        guest.wait_for_cards(2)
    assert "hacked" not in guest.driver.title and not guest.all("main img")


def test_a_node_has_its_details_and_tables(guest, audit):
    guest.visit(node=HOSTILE)
    wait_for("the node is shown", lambda: len(guest.all(".cores i")) == 4 and guest.all(".plot"))
    assert guest.text("section:not([hidden]) > h2") == ["Disks", "Networks", "Temperatures", "Processes"]
    processes = ("[...document.querySelectorAll('section')]"
                 ".find((one) => one.querySelector(':scope > h2')?.textContent === 'Processes')")
    first = f"return {processes}.querySelector('tbody tr').textContent"
    assert HOSTILE in guest.script(first), "the busiest process is first"
    guest.script(f"{processes}.querySelectorAll('th button')[1].focus()")
    guest.keys(ENTER)
    assert "99" in guest.script(first), "a column can be sorted by keyboard"
    guest.keys(SPACE)
    assert guest.script(f"return [...{processes}.querySelectorAll('th')].map((one) => one.ariaSort)").count("ascending") == 1
    audit(guest)
    assert_fits(guest, 320, 3840)


def test_a_device_that_is_offline_is_removed_on_request(guest, guarded, audit):
    name = "old/1 %2F"
    guarded.report("ups", {"devices": [{"id": name, "name": name, "read_at": now(-600), "mode": "line", "load_watts": 7}]})
    guest.visit(ups=name)
    button = wait_for("there is a button to remove it", lambda: guest.script(REMOVAL))
    assert guest.text("article .badge") == ["Offline"]
    audit(guest)
    guest.script("arguments[0].scrollIntoView({ block: 'center' })", button)
    button.click()
    assert name in guest.driver.switch_to.alert.text
    guest.driver.switch_to.alert.dismiss()
    assert name in guarded.known(), "nothing happens unless it is confirmed"
    button.click()
    # The page may be requesting the device while it is removed.
    guest.expected = ("404 (Not Found)",)
    guest.driver.switch_to.alert.accept()
    wait_for("the fleet is shown without it",
             lambda: "ups=" not in guest.url and name not in guest.text(".card h3") and len(guest.all(".card")) == 2)
    assert name not in guarded.known()
    guest.visit(ups=HOSTILE)
    wait_for("a device that reports is shown", lambda: guest.text("h2")[0] == HOSTILE and guest.text("article .badge") == ["Alarm"])
    assert not guest.script(REMOVAL)


@pytest.fixture
def strange(guarded, guest):
    """The page of a hub with devices whose names are invisible or whose values are out of any range."""
    modes = {"blank": (" \u3000\u200f", "line"), "digits": ("9" * 300, "line"), "mode": ("In test", "battery_test"),
             "start": ("Starting", "power_on")}
    guarded.report("ups", {"devices": [
        {"id": identifier, "name": name, "read_at": now(), "mode": mode, "load_watts": 1e300, "load_percent": 1e300,
         "battery_percent": -1e300} for identifier, (name, mode) in modes.items()]})
    return guest


def test_unusual_names_and_values_stay_within_the_layout(strange):
    strange.visit(q="blank")
    wait_for("the identifier replaces an invisible name", lambda: strange.text(".card h3") == ["blank"])
    assert all(len(card) < 300 for card in strange.text(".card"))
    strange.visit(q="999")
    strange.wait_for_cards(1)
    assert strange.script(
        "const box = document.querySelector('.card a').getBoundingClientRect(); return box.width > 20 && box.height < 40")


@pytest.mark.parametrize("identifier, words", [("mode", "Battery test"), ("start", "Power on")])
def test_a_mode_has_a_name(strange, identifier, words):
    strange.visit(ups=identifier)
    wait_for(f"the mode is {words}", lambda: words in strange.text("dd"))


def test_an_unknown_device_gets_one_message(guest):
    guest.expected = ("Failed to load resource",)
    guest.visit(ups="nobody")
    wait_for("the message is shown", lambda: "There is no device nobody." in guest.text("article > p"))
    assert guest.script(BANNER_IS_HIDDEN)
    assert guest.all(".plot") and not guest.script("return document.querySelector('.plot').checkVisibility()")


def test_expired_credentials_prompt_for_a_login(guest, guarded):
    guest.expected = ("Failed to load resource",)
    guest.headers()
    guest.open(guarded.url.replace("//", f"//anybody:{TOKEN}@") + "/")
    guest.wait_for_cards(2)
    guest.headers(Authorization="Bearer old")
    wait_for("the page asks to log in", lambda: "log in" in guest.text("#banner")[0])


def test_a_chinese_browser_reads_chinese(pages, demo, audit):
    page = pages(demo.url + "/", width=500, language="zh-CN", dark=True)
    wait_for("the cards are in Chinese", lambda: "电池" in "".join(page.text(".card .bar")))
    audit(page)
    labels = page.text(".tiles .note:first-child, .tiles button, section > h2, dt, label, .card .bar .note, .find button, "
                       ".power summary, .power button")
    page.script("document.querySelector('.card a').click()")
    wait_for("the charts are in Chinese", lambda: "最低" in "".join(
        page.script("return [...document.querySelectorAll('.plot')].map((plot) => plot.ariaLabel)")))
    labels += page.text("section > h2, dt, figcaption h3, .legend li, summary, th button, main button")
    english = {label for label in labels if re.search("[A-Za-z]{2}", re.sub("UPS|CSV|CPU|UTC|upsmon.conf", "", label))}
    assert len(labels) > 40 and english == set()
    used = set(re.findall(r'\bt\("([^"]+)"', "".join(path.read_text() for path in ASSETS.glob("*.js"))))
    known = page.script("""const path = document.querySelector('script[type=module]').src.replace('app.js', 'zh.js');
        return import(path).then((strings) => Object.keys(strings.default))""")
    assert used and used <= set(known), "every string has a Chinese translation"
