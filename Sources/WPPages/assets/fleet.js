// All UPSes and nodes at a glance: a summary, a search, and a card for each.

import { link, of, parameters, replace } from "./address.js";
import { el, setAttribute, setList, setText } from "./dom.js";
import { alarms, Facts, standing, title } from "./fields.js";
import { age, show } from "./format.js";
import { language, t } from "./text.js";

const states = ["Online", "Stale", "Offline", "Disconnected", "Alarm", "On battery"];
const key = (state) => state.toLowerCase().replace(" ", "-");
/** By name, UPS-9 before UPS-10, as people look for them. */
const order = new Intl.Collator(language, { numeric: true });

/** A card: its head always, the rest from when it is first near the screen. */
class Card {
  constructor(subject) {
    this.link = link(of(subject), "");
    this.badge = el("span", { class: "badge" });
    this.element = el("li", { class: "box card" }, el("div", { class: "head" }, el("h3", {}, this.link), this.badge));
    this.element.card = this;
    this.isNear = false;
  }

  update(subject, now) {
    const { entry } = subject;
    this.subject = subject;
    this.now = now;
    this.state = standing(entry);
    this.title = title(subject);
    setText(this.link, this.title);
    setText(this.badge, t(this.state));
    setAttribute(this.element, "data-state", key(this.state));
    if (this.isNear) this.fill();
  }

  fill() {
    const { entry, kind } = this.subject;
    if (!this.facts) {
      this.facts = new Facts(kind, true);
      this.model = el("p", { class: "note" });
      this.age = el("p", { class: "note" });
      this.alarms = el("ul", { class: "alarms" });
      this.element.append(this.model, this.age, this.alarms, this.facts.cores, this.facts.list);
    }
    setText(this.model, [entry.model ?? entry.os, entry.site ?? entry.hostname].filter(Boolean).join(" · "));
    setText(this.age, entry.state === "online" ? "" : t("Last seen {0}", age(this.now - Date.parse(entry.last_seen))));
    setList(this.alarms, alarms(entry).slice(0, 5));
    this.facts.update(entry);
  }

  matches(words, state) {
    if (state && key(this.state) !== state) return false;
    if (!words.length) return true;
    const { name, site, entry } = this.subject;
    const text = [this.title, name, site, entry.model, entry.hostname].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }
}

export class FleetView {
  constructor() {
    this.cards = new Map();
    this.tiles = el("ul", { class: "tiles" });
    const asked = parameters();
    const isAsked = () => this.filter(true);
    this.search = el("input", { type: "search", id: "search", autocomplete: "off", maxlength: 200, value: asked.get("q"), oninput: isAsked });
    this.choice = el("select", { id: "state", onchange: isAsked }, el("option", { value: "" }, t("All")),
      ...states.map((state) => el("option", { value: key(state), selected: key(state) === asked.get("state") }, t(state))));
    this.count = el("span", { class: "note", role: "status" });
    this.nothing = el("p", { class: "note" });
    this.lists = { ups: el("ul", { class: "cards" }), node: el("ul", { class: "cards" }) };
    this.sections = { ups: el("section", {}, el("h2", {}, t("UPSes")), this.lists.ups), node: el("section", {}, el("h2", {}, t("Nodes")), this.lists.node) };
    this.element = el("div", {}, this.tiles,
      el("form", { class: "row", role: "search", onsubmit: (event) => event.preventDefault() },
        el("label", { for: "search" }, t("Search")), this.search, el("label", { for: "state" }, t("State")), this.choice, this.count),
      this.nothing, this.sections.ups, this.sections.node);
    this.observer = new IntersectionObserver((changes) => {
      for (const { target: { card }, isIntersecting } of changes) {
        card.isNear = isIntersecting;
        if (isIntersecting) card.fill();
      }
    }, { rootMargin: "50%" });
    this.printing = () => { for (const card of this.cards.values()) card.fill(); };
    addEventListener("beforeprint", this.printing);
  }

  update(data, now) {
    const gone = new Map(this.cards);
    for (const kind of ["ups", "node"]) {
      const added = new Set();
      for (const subject of data[kind]) {
        const id = `${kind}\n${subject.site}\n${subject.name}`;
        let card = this.cards.get(id);
        if (!card) this.cards.set(id, card = new Card(subject));
        if (!card.subject) added.add(card);
        gone.delete(id);
        card.update(subject, now);
      }
      if (added.size) this.insert(added, kind);
    }
    for (const [id, { element }] of gone) {
      this.observer.unobserve(element);
      element.remove();
      this.cards.delete(id);
    }
    this.summarise(data.summary);
    this.filter(false);
  }

  /** Puts new cards in their places, without moving the others, which may have the focus. */
  insert(added, kind) {
    const list = this.lists[kind];
    const cards = [...this.cards.values()].filter(({ subject }) => subject.kind === kind);
    let next = null;
    for (const card of cards.sort((left, right) => order.compare(right.title, left.title))) {
      if (added.has(card)) list.insertBefore(card.element, next);
      if (added.has(card)) this.observer.observe(card.element);
      next = card.element;
    }
  }

  summarise(all) {
    const sum = (state) => (all[`${state}_ups`] ?? 0) + (all[`${state}_nodes`] ?? 0);
    const tiles = [
      ["UPSes", all.total_ups], ["Nodes", all.total_nodes], ["Online", sum("online")], ["Stale", sum("stale")],
      ["Offline", sum("offline")], ["On battery", all.on_battery], ["Alarms", all.active_alarms, "alarm"],
      ["Load", all.load_watts && show(all.load_watts, "watts")], ["Energy", all.energy_watt_hours && show(all.energy_watt_hours, "wattHours")],
    ].filter(([, value]) => value);
    if (this.tiles.childElementCount !== tiles.length) {
      this.tiles.replaceChildren(...tiles.map(() => el("li", { class: "box" }, el("strong"), el("span"))));
    }
    tiles.forEach(([label, value, state], index) => {
      const tile = this.tiles.children[index];
      setText(tile.firstChild, String(value));
      setText(tile.lastChild, t(label));
      setAttribute(tile, "data-state", state ?? (states.includes(label) && key(label)));
    });
  }

  /** Shows the cards that match; `isAsked` when the reader has changed what to look for. */
  filter(isAsked) {
    const text = this.search.value.trim(), state = this.choice.value;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = { ups: 0, node: 0 };
    for (const card of this.cards.values()) {
      const isShown = card.matches(words, state);
      if (card.element.hidden === isShown) card.element.hidden = !isShown;
      if (isShown) shown[card.subject.kind] += 1;
    }
    for (const [kind, section] of Object.entries(this.sections)) section.hidden = !shown[kind];
    const all = shown.ups + shown.node;
    setText(this.count, text || state ? t("{0} of {1}", all, this.cards.size) : "");
    setText(this.nothing, all ? "" : t(this.cards.size ? "Nothing matches." : "Nothing has reported yet."));
    if (isAsked) replace({ q: text, state });
  }

  leave() {
    this.observer.disconnect();
    removeEventListener("beforeprint", this.printing);
  }
}
