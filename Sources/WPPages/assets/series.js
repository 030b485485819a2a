// Points and axes of a chart, without anything of the screen.

import { calendar } from "./format.js";

/** A hole of more than this many steps is a gap. */
const gapSteps = 1.75;
/** The steps between marks, as parts of a power of the base: 10 for numbers, 2 for bytes, 60 for seconds. */
const steps = { 10: [1, 2, 5], 2: [1], 60: [1, 2, 5, 10, 15, 20, 30] };

/** Numbers to mark on an axis. */
export function ticks(low, high, wanted, base = 10) {
  const rough = (high - low) / wanted;
  if (!(rough > 0)) return [low];
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const step = power * (steps[base].find((part) => part * power >= rough * 0.999) ?? base);
  const marks = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index += 1) marks.push(index * step || 0);
  return marks;
}

/** Moments to mark, about as many as wanted: hours or days of the chosen zone. */
export function timeMarks(from, to, wanted) {
  const fit = (sizes, length) => sizes.find((size) => (to - from) / (size * length) <= wanted);
  const hours = fit([1, 2, 3, 6, 12], 3_600_000);
  const days = hours ? 1 : fit([1, 2, 4, 7, 14], 86_400_000) ?? 31;
  const marks = [];
  let midnight = calendar.midnight(from);
  for (let turn = 0; turn < 800 && midnight <= to; turn += 1) {
    const next = calendar.add(midnight, days);
    // Daylight saving makes a day of 23 or 25 hours.
    for (let index = 0; index < (hours ? 24 : 1); index += hours ?? 1) {
      const time = calendar.at(midnight, index).getTime();
      if (time >= from && time <= to && time < next) marks.push(time);
    }
    midnight = next;
  }
  return { marks, isDays: !hours };
}

/** The points of a quantity in an answer of the API. */
export const points = (history, times, key) => history.flatMap((entry, index) => Number.isFinite(entry[key]) ? [{
  time: times[index], value: entry[key], weight: entry.samples || 1,
  low: entry[`${key}_min`] ?? entry[key], high: entry[`${key}_max`] ?? entry[key],
}] : []);

/** The runs of points without a gap. Made before anything is reduced, so that a gap stays one. */
export function runs(all, step) {
  const found = [];
  for (const point of all) {
    if (point.time - (found.at(-1)?.at(-1).time ?? -Infinity) > gapSteps * step) found.push([point]);
    else found.at(-1).push(point);
  }
  return found;
}

/** A run reduced to one point per column of pixels: extremes stay, averages are weighed by their samples. */
export function columns(run, x) {
  const reduced = [];
  let last;
  for (const { time, low, high, value, weight } of run) {
    const column = Math.round(x(time));
    if (last?.column === column) {
      last.low = Math.min(last.low, low);
      last.high = Math.max(last.high, high);
      last.value += (value - last.value) * weight / (last.weight += weight);
    } else reduced.push(last = { column, low, high, value, weight });
  }
  return reduced;
}

/** The lowest and the highest value. */
export function extent(all) {
  let low = Infinity, high = -Infinity;
  for (const point of all) {
    if (point.low < low) low = point.low;
    if (point.high > high) high = point.high;
  }
  return [low, high];
}

/** Where an axis begins and ends. It begins at 0, and ends at `top` if that is given; a floating one hugs its values. */
export function bounds(all, { top, floats }) {
  const [low, high] = extent(all);
  if (low > high) return [0, top ?? 1];
  if (!floats) return [Math.min(0, low), Math.max(high, top ?? (high * 1.05 || 1))];
  const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.005, 0.01);
  return [low - room, high + room];
}

/** The index of the time next to a moment, in times in order that are not empty. */
export function nearest(times, time) {
  const after = times.findIndex((candidate) => candidate >= time);
  if (after < 0) return times.length - 1;
  return after > 0 && time - times[after - 1] < times[after] - time ? after - 1 : after;
}
