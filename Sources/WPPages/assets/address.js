// What the address says, and how it changes without loading the page again.

import { el } from "./dom.js";

/** The parameters of the address. */
export const parameters = () => new URLSearchParams(location.search);

/** The UPS or node of the address; null for the fleet. */
export function subject() {
  const given = parameters();
  if (given.has("ups")) return { kind: "ups", name: given.get("ups"), site: given.get("site") };
  return given.has("node") ? { kind: "node", name: given.get("node"), site: null } : null;
}

/** The parameters of a UPS or node. */
export const of = ({ kind, name, site }) => ({ [kind]: name, site });

const text = (given) => given.size ? `?${given}` : "./";

/** An address of this page: zone and language stay. */
export function address(values) {
  const now = parameters(), next = new URLSearchParams();
  for (const [key, value] of Object.entries({ ...values, zone: now.get("zone"), lang: now.get("lang") })) {
    if (value) next.set(key, value);
  }
  return text(next);
}

/** Changes parameters of the present address; empty ones go. */
export function replace(values) {
  const given = parameters();
  for (const [key, value] of Object.entries(values)) {
    if (value) given.set(key, value);
    else given.delete(key);
  }
  history.replaceState(null, "", text(given));
}

/** Goes to another address of this page. */
export function visit(values) {
  history.pushState(null, "", address(values));
  dispatchEvent(new Event("popstate"));
}

/** What a click on a link within the page does, unless the reader wants a tab of its own. */
export const visitor = (values) => (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
  event.preventDefault();
  visit(values);
};

/** A link within the page. */
export const link = (values, content) => el("a", { href: address(values), onclick: visitor(values) }, content);
