// The application: selects the visible view and schedules its updates.

import { addressOf, age, announce, api, language, list, nameOf, parameters, replace, setText, t, visit, zone } from "./base.js";
import { DetailView } from "./detail.js";
import { FleetView } from "./fleet.js";

const interval = 5000;
const root = document.documentElement;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
let view, current, updated, timer, request, failures = 0, checked = Date.now();

function subject() {
  const { ups, node, site } = parameters();
  return ups ? { kind: "ups", id: ups, site } : node && { kind: "node", id: node };
}

function go(y) {
  zone.name = parameters().zone === "utc" ? "UTC" : undefined;
  setText(page.zone, zone.name ?? t("Local time"));
  page.zone.title = Intl.DateTimeFormat(language, { timeZone: zone.name }).resolvedOptions().timeZone;
  const asked = subject(), next = JSON.stringify([asked, zone.name]);
  if (next !== current) {
    view?.leave();
    view = asked ? new DetailView(asked) : new FleetView();
    page.content.replaceChildren(view.element);
    document.title = list([asked && nameOf(asked.id), "WinPower G2"]);
    if (current) page.content.focus({ preventScroll: true });
    current = next;
  }
  page.home.href = addressOf();
  view.show?.();
  if (y !== undefined) scrollTo(0, y);
  refresh();
}

/** Requests the current content of the view. */
async function refresh() {
  clearTimeout(timer);
  if (document.hidden || !view) return;
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    await view.refresh(signal);
    if (signal.aborted) return;
    updated = Date.now();
    if (failures) announce(t("Updated {0}", age(updated)));
    failures = 0;
    page.banner.hidden = true;
  } catch (error) {
    if (signal.aborted) return;
    failures += 1;
    fail(error);
  }
  tick();
  timer = setTimeout(refresh, Math.min(60_000, interval * 2 ** Math.max(0, failures - 1)));
  checkVersion();
}

function fail({ status, message }) {
  page.banner.hidden = false;
  setText(page.banner, status === 401 || status === 403 ? t("Reload the page to log in.")
    : status === 404 && !updated ? t("This server keeps no history. Its numbers are at /metrics.")
      : t("The server does not answer ({0}).", message));
}

function tick() {
  if (!updated || document.hidden) return;
  setText(page.status, t("Updated {0}", age(updated)));
  page.status.dataset.old = Date.now() - updated > 3 * interval;
}

/** Reloads the page after an upgrade of the server, whose responses may have changed. */
async function checkVersion() {
  if (Date.now() - checked < 60_000 && !failures) return;
  checked = Date.now();
  const response = await fetch(new URL("../../", api), { method: "HEAD", cache: "no-store", headers: { "X-Requested-With": "page" } }).catch(() => null);
  const version = response?.headers.get("X-Page-Version");
  if (version && version !== root.dataset.version) location.reload();
}

const nextTheme = { system: "dark", dark: "light", light: "system" };

function setTheme(name) {
  root.dataset.theme = name;
  try {
    localStorage.setItem("theme", name);
  } catch {
  }
  setText(page.theme, t(`Theme: ${name}`));
  view?.redraw();
}

root.lang = language;
history.scrollRestoration = "manual";
for (const element of document.querySelectorAll("a, #loading")) setText(element, t(element.textContent));
setTheme(root.dataset.theme ?? "system");
page.theme.addEventListener("click", () => setTheme(nextTheme[root.dataset.theme]));
page.zone.addEventListener("click", () => {
  replace({ zone: zone.name ? "" : "utc" });
  go();
  page.zone.focus();
});
// Internal links do not reload the page, unless they open a new tab.
addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="?"], a[href="./"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  visit(link.getAttribute("href"));
});
addEventListener("popstate", ({ state }) => go(state?.y ?? 0));
addEventListener("beforeprint", () => view?.print?.(true));
addEventListener("afterprint", () => view?.print?.(false));
document.addEventListener("visibilitychange", refresh);
// Print uses the light theme.
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => view?.redraw());
setInterval(tick, 1000);
go();
