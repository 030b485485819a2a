// The API. A request that is superseded is given up; one that fails says why.

import { zone } from "./format.js";

const root = "api/v2/";
let cluster, energies, energiesAt = 0;

async function get(path, signal) {
  const limit = AbortSignal.timeout(10_000);
  let response;
  try {
    response = await fetch(root + path, { signal: AbortSignal.any([signal, limit]), redirect: "error" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(limit.aborted ? "10 s" : "no connection");
  }
  if (response.ok) return response.json();
  const { error } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error ?? `HTTP ${response.status}`), { status: response.status });
}

async function base(signal) {
  cluster ??= (await get("clusters", signal)).clusters[0].id;
  return `clusters/${encodeURIComponent(cluster)}/`;
}

/** The key of a UPS among all sites. */
const key = (site, name) => `${site}\n${name}`;

/** Energy of today and this month, asked for once a minute; it may be missing. */
async function energy(at, signal) {
  const wanted = zone.name ? "utc" : "local";
  if (energies?.zone === wanted && Date.now() - energiesAt < 60_000) return;
  energiesAt = Date.now();
  const answer = await get(`${at}energy?zone=${wanted}`, signal).catch(() => null);
  if (!answer) return;
  energies = { zone: wanted, of: new Map(answer.energy.map((entry) => [key(entry.site, entry.device), entry])) };
}

/** All UPSes and all nodes as they are now: `subjects`, by kind; summaries; and the price of a kilowatt-hour. */
export async function fleet(signal) {
  const at = await base(signal);
  const [ups, nodes] = await Promise.all([get(`${at}ups`, signal), get(`${at}node-metrics`, signal), energy(at, signal)]);
  for (const entry of ups.ups) entry.energy = energies?.of.get(key(entry.site, entry.id));
  return {
    tariff: ups.tariff, summary: { ...ups.summary, ...nodes.summary },
    ups: ups.ups.map((entry) => ({ kind: "ups", name: entry.id, site: entry.site, entry })),
    node: Object.entries(nodes.nodes).map(([name, entry]) => ({ kind: "node", name, site: "", entry })),
  };
}

/** Where a list of a subject is; times are milliseconds since 1970. */
function path({ kind, name, site }, list, { from, to, ...more }) {
  const values = { from: Math.floor(from / 1000), to: Math.ceil(to / 1000), ...more };
  if (site) values.site = site;
  return `${kind === "ups" ? "ups" : "node-metrics"}/${encodeURIComponent(name)}/${list}?${new URLSearchParams(values)}`;
}

/** The history of a subject. */
export const history = async (subject, span, signal) => get(await base(signal) + path(subject, "history", span), signal);

/** The energy of a UPS by day. */
export const days = async (subject, span, signal) =>
  get(await base(signal) + path(subject, "energy", { ...span, period: "day", zone: zone.name ? "utc" : "local" }), signal);

/** The address of a history as CSV. */
export const file = (subject, span) =>
  `${root}clusters/${encodeURIComponent(cluster)}/${path(subject, "history", { ...span, format: "csv" })}`;

/** The version of the page that the server has; null when it can't be asked. */
export async function version() {
  const response = await fetch("./", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(5000) }).catch(() => null);
  return response?.ok ? response.headers.get("X-Page-Version") : null;
}
