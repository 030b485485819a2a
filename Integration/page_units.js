// SPDX-License-Identifier: MIT
// Unit tests of functions of app.js that do not need the rendered page. Integration/test_page.py runs this file in
// Chromium with two arguments: the address of app.js, and a callback that receives the failures.

const [address, done] = arguments;
const failed = [];
const same = (what, is, wanted) => {
  if (JSON.stringify(is) !== JSON.stringify(wanted)) failed.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
};

(async () => {
  const { age, apply, bounds, columns, currency, curve, daysOf, extent, mean, midnight, nameOf, nearest, points, runs, shades, show, sorted, span, store,
    ticks, timeMarks, words, zone } = await import(address);
  const point = (time, value, low = value, high = value, weight = 1) => ({ time, value, low, high, weight });

  same("ticks of percent", ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  same("ticks of seconds", ticks(0, 7200, 5, 60), [0, 1800, 3600, 5400, 7200]);
  same("ticks of bytes", ticks(0, 4096, 4, 2), [0, 1024, 2048, 3072, 4096]);
  same("ticks below zero", ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
  same("ticks of nothing", ticks(5, 5, 4), [5]);

  same("a gap splits", runs([point(0, 1), point(10, 1), point(30, 1)], 10).map((run) => run.length), [2, 1]);
  same("a late point does not split", runs([point(0, 1), point(17, 1)], 10).length, 1);
  same("senders that report less often than the step do not split", runs([0, 10, 20, 30, 50].map((time) => point(time, 1)), 5).map((run) => run.length), [4, 1]);
  same("no points have no runs", runs([], 10), []);

  same("a column keeps extremes and weights averages", columns([point(0, 10, 0, 20, 1), point(0.2, 40, 30, 90, 3)], (time) => time),
    [{ column: 0, low: 0, high: 90, value: 32.5, weight: 4 }]);
  const many = columns(Array.from({ length: 8640 }, (_, index) => point(index, index % 7)), (time) => time / 10);
  same("many points become one per column", many.length, 865);

  same("the extent", extent([point(0, 5, 1, 9), point(1, 5, 3, 12)]), [1, 12]);
  same("shares end at 100", bounds([point(0, 30)], "percent"), [0, 100]);
  same("more than 100 is shown", bounds([point(0, 130)], "percent"), [0, 130]);
  same("zeros have an axis", bounds([point(0, 0)], "watts"), [0, 1]);
  same("a floating axis has room", bounds([point(0, 220), point(1, 240)], "volts"), [218, 242]);
  same("an outage does not flatten volts", bounds([point(0, 230), point(1, 0), point(2, 230), point(3, 231)], "volts"), [228.845, 232.155]);
  same("the mean is weighted", mean([point(0, 10), point(1, 40, 40, 40, 3)]), 32.5);
  same("one value has different marks", ticks(...bounds([point(0, 23)], "celsius"), 4).map((value) => show(value, "celsius")), ["22.8 °C", "23.0 °C", "23.2 °C"]);
  same("no points have an axis", bounds([], "celsius"), [0, 1]);

  same("the nearest", [-5, 4, 6, 99].map((time) => nearest([0, 10, 20], time)), [0, 0, 1, 2]);
  same("missing values are omitted", points([{ a: 1 }, {}, { a: 2, a_min: 0, a_max: 3, samples: 4 }], [0, 1, 2], "a"),
    [{ time: 0, value: 1, weight: 1, low: 1, high: 1 }, { time: 2, value: 2, weight: 4, low: 0, high: 3 }]);

  const event = (name, start, end) => ({ event: name, start: new Date(start).toISOString(), end: end && new Date(end).toISOString() });
  same("events are shaded, and points without events",
    shades([event("on_battery", 1000, 2000), event("on_battery", 1500, 2500), event("alarm", 0, 9000), event("offline", 5000)],
      [{ on_battery: 1 }, { on_battery: 0.5 }, { on_battery: 0 }], [1000, 3000, 4000], 1000, 8000),
    [{ kind: "battery", from: 1000, to: 2500 }, { kind: "battery", from: 3000, to: 4000 }, { kind: "none", from: 5000, to: 8000 }]);
  same("a sparkline has gaps", curve([10, null, 0, 5]), "M0 1.0M2 20.0L3 10.5");

  const answer = {
    epoch: "e", revision: 1, full: true, columns: { subjects: ["key", "kind", "site", "id", "name"], ups: ["key", "state", "load_percent"] },
    subjects: [[1, "ups", "", "a", "UPS-10"], [2, "ups", "", "b", "UPS-9"], [3, "ups", "", "c", null]],
    values: [[1, "online", 5], [2, "online", null], [3, "on_battery", 7]], removed: [],
  };
  const kept = { ...store, subjects: new Map(store.subjects) };
  apply(answer);
  const names = (by) => sorted([...store.subjects.values()], by).map(({ title }) => title);
  same("urgent devices come first, then names in numeric order", names("state"), ["c", "UPS-9", "UPS-10"]);
  same("the greatest first, unknown values last", names("-load"), ["c", "UPS-10", "UPS-9"]);
  apply({ ...answer, full: false, revision: 2, subjects: [], values: [[1, "alarm", 6]], removed: [3] });
  same("applies only changes", [...store.subjects.values()].map(({ id, state, load_percent: load }) => [id, state, load]), [["a", "alarm", 6], ["b", "online", null]]);
  Object.assign(store, kept);

  same("an invisible name", [nameOf(" \u200f", "id"), nameOf("\u3164", ""), nameOf("机房", "id")], ["id", "(no name)", "机房"]);
  same("modes", ["battery_test", "power_on", "line", undefined].map(words), ["Battery test", "Power on", "Line", undefined]);
  same("days name their zone", [daysOf({ zone: "utc" }), daysOf({ zone: "local", utc_offset: 19_800 })], ["days in UTC", "days at the server, UTC+5:30"]);
  same("values are bounded", [show(1e300, "watts"), show(-1e300, "percent")], ["1.00e+297 kW", "-1.00e+300 %"]);

  same("missing is not zero", [undefined, null, NaN, 0].map((value) => show(value, "watts")), ["–", "–", "–", "0 W"]);
  same("watts", [999, 12_345].map((value) => show(value, "watts")), ["999 W", "12.3 kW"]);
  same("energy", [541.6, 1234, 45_678, 2_000_000].map((value) => show(value, "wattHours")), ["542 Wh", "1.23 kWh", "45.7 kWh", "2,000 kWh"]);
  same("cost", show(4.5, "cost"), "cost 4.50");
  currency.code = "CNY";
  same("cost in a currency", show(12.4, "cost"), "12.40 CNY");
  currency.code = undefined;
  same("thousands", [show(1234, "count"), show(1234.5, "volts"), span(1234 * 86_400)], ["1,234", "1,234.5 V", "1,234 d"]);
  same("small numbers keep their digits", [show(0.123, "average"), show(9.53, "percent"), show(45.3, "percent")], ["0.123", "9.5 %", "45 %"]);
  same("bytes", [0, 1023, 1024, 1536, 10 * 2 ** 20, 3 * 2 ** 70].map((value) => show(value, "bytes")),
    ["0 B", "1,023 B", "1 KiB", "1.5 KiB", "10 MiB", "3,145,728 PiB"]);
  same("volts always have one decimal", [227, 226.14].map((value) => show(value, "volts")), ["227.0 V", "226.1 V"]);
  same("spans", [0, 59, 60, 3661, 90_000].map(span), ["0 s", "59 s", "1 min", "1 h 1 min", "1 d 1 h"]);
  same("ages", [0, 1900, 65_200].map((past) => age(Date.now() - past)), ["just now", "just now", "1 min 5 s ago"]);

  zone.name = "UTC";
  same("midnight in UTC", new Date(midnight(Date.UTC(2026, 0, 31, 13, 5))).toISOString(), "2026-01-31T00:00:00.000Z");
  same("the day after", new Date(midnight(Date.UTC(2026, 0, 31), 1)).toISOString(), "2026-02-01T00:00:00.000Z");
  const marks = (from, to) => timeMarks(from, to, 10).map((time) => new Date(time).toISOString().slice(8, 13));
  same("minutes are marked", timeMarks(Date.UTC(2026, 0, 1, 5, 2), Date.UTC(2026, 0, 1, 6, 2), 6).map((time) => new Date(time).toISOString().slice(11, 16)),
    ["05:10", "05:20", "05:30", "05:40", "05:50", "06:00"]);
  same("hours are marked", marks(Date.UTC(2026, 0, 1, 5), Date.UTC(2026, 0, 2, 5)),
    ["01T06", "01T09", "01T12", "01T15", "01T18", "01T21", "02T00", "02T03"]);
  same("days are marked", marks(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 31)),
    ["01T00", "05T00", "09T00", "13T00", "17T00", "21T00", "25T00", "29T00"]);
  zone.name = undefined;
})().then(() => done(failed), (error) => done([String(error)]));
