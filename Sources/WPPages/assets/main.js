// The page: the view that the address asks for, and fresh numbers every five seconds.

import { parameters, replace, subject, visitor } from "./address.js";
import * as api from "./api.js";
import { DetailView } from "./detail.js";
import { announce, setText } from "./dom.js";
import { FleetView } from "./fleet.js";
import { age, zone } from "./format.js";
import { language, t } from "./text.js";

const interval = 5000, longestPause = 60_000, versionInterval = 60_000;
const root = document.documentElement;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
let view, shown, data, updated, timer, request, failures = 0, checked = Date.now();

/** Shows what the address asks for: the same view again only takes its range anew. */
function show() {
  const asked = subject(), next = JSON.stringify([asked, zone.name]);
  if (next !== shown) {
    const isFirst = !view;
    view?.leave();
    shown = next;
    view = asked ? new DetailView(asked) : new FleetView();
    document.title = asked ? `${asked.name} – WinPower G2` : "WinPower G2";
    place();
    if (!isFirst) {
      page.content.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }
  view.load?.();
}

/** Puts the view on the page, as soon as there is something to show. */
function place() {
  if (!data) return;
  if (!view.element.isConnected) page.content.replaceChildren(view.element);
  view.update(data, Date.now());
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
    if (failures) announce(t("Updated {0}", age(0)));
    failures = 0;
    page.banner.hidden = true;
    place();
  } catch (error) {
    if (signal.aborted) return;
    failures += 1;
    fail(error);
  }
  tick();
  timer = setTimeout(refresh, Math.min(longestPause, interval * 2 ** Math.max(0, failures - 1)));
  checkVersion();
}

/** Says what is wrong, and leaves what is shown. */
function fail({ status, message }) {
  page.banner.hidden = false;
  setText(page.banner, status === 401 || status === 403 ? t("The server asks for credentials: reload the page and log in.")
    : status === 404 && !data ? t("This server keeps no history, so there is nothing to draw. Its numbers are at /metrics.")
      : t("The server does not answer ({0}). What is shown is old.", message));
  if (!data) page.loading.hidden = true;
}

/** How old the numbers are, each second. */
function tick() {
  if (!updated || document.hidden) return;
  setText(page.status, t("Updated {0}", age(Date.now() - updated)));
  page.status.dataset.old = Date.now() - updated > 3 * interval;
}

/** After an update of the server, an old page would misread new answers. */
async function checkVersion() {
  if (Date.now() - checked < versionInterval && !failures) return;
  checked = Date.now();
  const version = await api.version();
  if (version && version !== root.dataset.version) location.reload();
}

/** Takes the zone from the address. */
function setZone() {
  zone.name = parameters().get("zone") === "utc" ? "UTC" : undefined;
  setText(page.zone, t(zone.name ?? "Local time"));
  page.zone.title = t("Times are in {0}. Press to change.", zone.name ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
}

const nextTheme = { system: "dark", dark: "light", light: "system" };

function setTheme(name) {
  if (name === "system") delete root.dataset.theme;
  else root.dataset.theme = name;
  try {
    localStorage.setItem("theme", name);
  } catch {
    // Not stored; it holds until the page is left.
  }
  setText(page.theme, t(`Theme: ${name}`));
  view?.redraw?.();
}

const follow = () => {
  setZone();
  show();
};

root.lang = language;
for (const element of [page.skip, page.loading, page.metrics, page.health]) setText(element, t(element.textContent));
setTheme(root.dataset.theme ?? "system");
page.theme.addEventListener("click", () => setTheme(nextTheme[root.dataset.theme ?? "system"]));
page.zone.addEventListener("click", () => {
  replace({ zone: zone.name ? "" : "utc" });
  follow();
  page.zone.focus();
  refresh();
});
page.home.addEventListener("click", visitor({}));
addEventListener("popstate", follow);
document.addEventListener("visibilitychange", refresh);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.redraw?.());
setInterval(tick, 1000);
follow();
refresh();
