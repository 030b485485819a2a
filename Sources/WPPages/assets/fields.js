// What there is to say of a UPS and of a node, on its card and above its charts.

import { el, meter, setAttribute, setText } from "./dom.js";
import { show } from "./format.js";
import { t } from "./text.js";

const modes = {
  line: "Line", battery: "Battery", bypass: "Bypass", standby: "Standby", fault: "Fault", powerOn: "Powering on",
  batteryTest: "Battery test", unknown: "Unknown",
};
const high = (value) => value >= 90 ? "bad" : value >= 75 ? "warn" : null;
const low = (value) => value < 30 ? "bad" : value < 60 ? "warn" : null;
const join = (...parts) => parts.filter((part) => part && part !== "–").join(", ") || "–";
const part = (used, total) => total ? `${show(used, "bytes")} / ${show(total, "bytes")}` : "–";
const used = (amount) => amount ? show(amount.watt_hours, "wattHours")
  + (amount.cost === undefined ? "" : ` · ${show(amount.cost, "money")}`) : "–";
const disk = ({ disks }) => disks?.[0];
const network = ({ networks }) => networks?.find(({ status }) => status === "up") ?? networks?.[0];

/** Label, text, and for a share its percentage and how good that is. The first ones stand on cards. */
const fields = {
  ups: [
    ["Mode", ({ mode }) => mode ? t(modes[mode] ?? mode) : "–"],
    ["Load", (ups) => join(show(ups.load_percent, "percent"), show(ups.load_watts, "watts")), (ups) => ups.load_percent, high],
    ["Battery", (ups) => join(show(ups.battery_percent, "percent"),
      ups.battery_charging ? t("charging") : ups.mode === "battery" && t("discharging")), (ups) => ups.battery_percent, low],
    ["Runtime", (ups) => show(ups.battery_runtime_seconds, "seconds")],
    ["Input", (ups) => join(show(ups.input_volts, "volts"), show(ups.input_hertz, "hertz"))],
    ["Output", (ups) => join(show(ups.output_volts, "volts"), show(ups.output_amperes, "amperes"))],
    ["Temperature", (ups) => show(ups.temperature_celsius, "celsius")],
    ["Today", (ups) => used(ups.energy?.day)],
    ["This month", (ups) => used(ups.energy?.month)],
    ["Total energy", (ups) => show(ups.energy_watt_hours, "wattHours")],
    ["Battery voltage", (ups) => show(ups.battery_volts, "volts")],
    ["Rating", (ups) => show(ups.rated_volt_amperes, "voltAmperes")],
    ["Model", ({ model }) => model], ["Firmware", (ups) => ups.firmware_version], ["Site", ({ site }) => site],
    ["Fault", (ups) => ups.fault_code], ["Read at", (ups) => show(Date.parse(ups.read_at), "moment")],
  ],
  node: [
    ["CPU", ({ cpu }) => show(cpu?.usage_percent, "percent"), ({ cpu }) => cpu?.usage_percent, high],
    ["Memory", ({ memory }) => join(show(memory?.usage_percent, "percent"), part(memory?.used, memory?.total)), ({ memory }) => memory?.usage_percent, high],
    ["Disk", (node) => show(disk(node)?.usage_percent, "percent"), (node) => disk(node)?.usage_percent, high],
    ["Temperature", ({ temperature }) => show(temperature?.cpu_temp, "celsius")],
    ["Received", (node) => show(network(node)?.rx_rate, "bytesPerSecond")],
    ["Sent", (node) => show(network(node)?.tx_rate, "bytesPerSecond")],
    ["Load average", ({ cpu }) => join(...[cpu?.load_1, cpu?.load_5, cpu?.load_15].map((load) => show(load, "plain")))],
    ["Swap", ({ memory }) => part(memory?.swap_used, memory?.swap_total)],
    ["Uptime", ({ uptime }) => show(uptime, "seconds")],
    ["Model", ({ cpu }) => cpu?.model], ["Kernel", ({ kernel }) => kernel],
  ],
};
const onCard = { ups: 9, node: 7 };

/** The fields as a list; a card shows the first ones, also where they are not known. */
export class Facts {
  constructor(kind, isCard) {
    this.rows = (isCard ? fields[kind].slice(0, onCard[kind]) : fields[kind]).map(([label, text, share, level]) => {
      const value = el("dd"), bar = share && meter(t(label));
      const element = el("div", {}, el("dt", {}, t(label)), value, bar && el("dd", { class: "wide" }, bar.element));
      return {
        element,
        update(entry) {
          const words = text(entry) || "–";
          setText(value, words);
          bar?.set(share(entry), level(share(entry)));
          element.hidden = !isCard && words === "–";
        },
      };
    });
    this.cores = el("div", { class: "cores", role: "img", hidden: true });
    this.list = el("dl", {}, ...this.rows.map(({ element }) => element));
  }

  update(entry) {
    for (const row of this.rows) row.update(entry);
    const { cores } = this, loads = entry.cpu?.per_core?.slice(0, 256) ?? [];
    cores.hidden = !loads.length;
    if (cores.childElementCount !== loads.length) cores.replaceChildren(...loads.map(() => el("i")));
    setAttribute(cores, "aria-label", `${t("Cores")}: ${loads.map(Math.round).join(", ")} %`);
    loads.forEach((load, index) => { cores.children[index].style.transform = `scaleY(${Math.min(100, load) / 100})`; });
  }
}

/** The state that matters most. */
export function standing(entry) {
  if (entry.state === "offline") return "Offline";
  if (entry.connected === false) return "Disconnected";
  if (entry.mode === "fault" || entry.alarms?.length) return "Alarm";
  if (entry.mode === "battery") return "On battery";
  return entry.state === "stale" ? "Stale" : "Online";
}

/** What people call a subject. */
export const title = ({ name, entry }) => entry?.name || name;

/** The texts of its alarms. */
export const alarms = ({ alarms: list }) => list?.map(({ text }) => text) ?? [];
