// The page: which view the address asks for, and fresh numbers every five seconds.

import * as api from "./api.js";
import { DetailView } from "./detail.js";
import { announce, setText } from "./dom.js";
import { FleetView } from "./fleet.js";
import { age, calendar, zone } from "./format.js";
import { language, t } from "./text.js";

const interval = 5000;
const longestPause = 60_000;

const place = (id) => document.getElementById(id);
const content = place("content");
let view, data, updated, failures = 0, timer, request, lastCheck = Date.now();

/** The subject in the address; nil for the fleet. */
function subject() {
    const parameters = new URLSearchParams(location.search);
    if (parameters.has("ups")) return { kind: "ups", name: parameters.get("ups"), site: parameters.get("site") ?? undefined };
    return parameters.has("node") ? { kind: "node", name: parameters.get("node") } : null;
}

/** An address of this page: what stays is the zone and the language. */
function address(values) {
    const kept = new URLSearchParams(location.search);
    const parameters = new URLSearchParams();
    for (const key of ["zone", "lang"]) if (kept.has(key)) parameters.set(key, kept.get(key));
    for (const [key, value] of Object.entries(values)) if (value !== undefined) parameters.set(key, value);
    return parameters.size ? `?${parameters}` : "./";
}

const subjectAddress = ({ kind, name, site }) => address(kind === "ups" ? { ups: name, site } : { node: name });

/** A link that stays on the page, unless the reader wants a tab of its own. */
function open(event, target) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
    event.preventDefault();
    visit(subjectAddress(target));
}
open.address = subjectAddress;

function visit(to, isSameView = false) {
    history.pushState(null, "", to);
    if (isSameView) return view.load();
    show();
    content.focus({ preventScroll: true });
    scrollTo(0, 0);
    return undefined;
}

const context = {
    go(range) {
        const target = subject();
        const values = target.kind === "ups" ? { ups: target.name, site: target.site } : { node: target.name };
        visit(address({ ...values, ...range }), true);
    },
    homeAddress: () => address({}),
    home(event) {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
        event.preventDefault();
        visit(address({}));
    },
    isUTC: () => zone.name === "UTC",
    /** The days of this month so far. */
    async month(device) {
        const to = Date.now();
        const today = calendar.midnight(to);
        const first = new Date(today);
        if (zone.name === "UTC") first.setUTCDate(1);
        else first.setDate(1);
        const { energy } = await api.energy(device, { from: first.getTime(), to }, zone.name === "UTC");
        return energy.map((entry) => ({ ...entry, isToday: Date.parse(entry.start) >= today.getTime() }));
    },
};

function show() {
    view?.leave?.();
    const target = subject();
    view = target ? new DetailView(target, context) : new FleetView(open, context);
    document.title = target ? `${target.name} – WinPower G2` : "WinPower G2";
    if (data) {
        content.replaceChildren(view.element);
        view.update(data, Date.now());
    }
    view.load?.();
}

async function refresh() {
    clearTimeout(timer);
    if (document.hidden) return;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    try {
        data = await api.fleet(signal);
        updated = Date.now();
        if (failures) announce(t("updated", age(0)));
        failures = 0;
        place("banner").hidden = true;
        if (!content.contains(view.element)) content.replaceChildren(view.element);
        view.update(data, updated);
        view.refresh?.();
    } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        tell(error);
    }
    tick();
    timer = setTimeout(refresh, failures ? Math.min(longestPause, interval * 2 ** Math.min(failures - 1, 4)) : interval);
    checkVersion();
}

/** Says what is wrong, and leaves what was shown. */
function tell(error) {
    const banner = place("banner");
    banner.hidden = false;
    if (error.status === 401 || error.status === 403) setText(banner, t("refused"));
    else if (error.status === 404 && !data) setText(banner, t("no-api"));
    else setText(banner, t("failing", error.message, updated ? age(Date.now() - updated) : "–"));
    if (!data) setText(place("loading") ?? banner, "");
}

/** How old the numbers are, said each second. */
function tick() {
    if (updated) setText(place("status"), t("updated", age(Date.now() - updated)));
    place("status").dataset.old = String(Boolean(updated) && Date.now() - updated > 3 * interval);
}

/** After an update of the server, an old page would misread new answers. */
async function checkVersion() {
    if (Date.now() - lastCheck < 60_000 && !failures) return;
    lastCheck = Date.now();
    const version = await api.version();
    if (version && version !== document.documentElement.dataset.version) location.reload();
}

function setZone(name) {
    zone.name = name === "utc" ? "UTC" : undefined;
    setText(place("zone"), t(zone.name ? "zone-utc" : "zone-local"));
    place("zone").title = t("zone-title", zone.name ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
}

function setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    try {
        if (theme) localStorage.setItem("theme", theme);
        else localStorage.removeItem("theme");
    } catch {
        // Not stored; it holds until the page is left.
    }
    setText(place("theme"), t(`theme-${theme ?? "auto"}`));
    view?.redraw?.();
}

function start() {
    document.documentElement.lang = language;
    for (const key of ["skip", "loading"]) setText(place(key), t(key));
    setText(place("link-metrics"), t("metrics"));
    setText(place("link-health"), t("health"));
    setZone(new URLSearchParams(location.search).get("zone"));
    setTheme(document.documentElement.dataset.theme);
    place("home").addEventListener("click", (event) => context.home(event));
    place("theme").addEventListener("click", () =>
        setTheme({ dark: "light", light: undefined }[document.documentElement.dataset.theme ?? ""] ?? (document.documentElement.dataset.theme ? undefined : "dark")));
    place("zone").addEventListener("click", () => {
        const parameters = new URLSearchParams(location.search);
        if (zone.name) parameters.delete("zone");
        else parameters.set("zone", "utc");
        history.replaceState(null, "", parameters.size ? `?${parameters}` : "./");
        setZone(parameters.get("zone"));
        show();
    });
    addEventListener("popstate", () => { setZone(new URLSearchParams(location.search).get("zone")); show(); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.redraw?.());
    setInterval(() => { if (!document.hidden) tick(); }, 1000);
    show();
    refresh();
}

start();
