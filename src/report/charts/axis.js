/** @import {Axis} from './chart.js' */

const maxTicks = 8;

/**
 * Returns a logarithmic axis from the mark at or below the smallest value to the mark at or above the largest value.
 * Marks are 1, 2 and 5 times the powers of ten. If there are too many, the marks are the powers alone.
 * @param {readonly number[]} values above 0, at least one @param {{label: string, format: (value: number) => string}} how @returns {Axis}
 */
export function logAxis(values, {label, format}) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const marks = marksAround(low, high);
  const decades = marks.filter((mark) => Number.isInteger(Math.log10(mark)));
  const shown = marks.length > maxTicks && decades.length > 1 ? decades : marks;
  const ticks = shown.map((value) => ({value, label: format(value)}));
  return {label, toShare: logShare(marks[0], marks[marks.length - 1]), ticks};
}

/**
 * Returns a logarithmic axis with given marks, such as payload sizes.
 * @param {readonly {value: number, label: string}[]} ticks in ascending order, above 0 @param {string} label @returns {Axis}
 */
export function markedLogAxis(ticks, label) {
  const [first, last] = [ticks[0].value, ticks[ticks.length - 1].value];
  // A single mark is in the middle.
  return {label, ticks, toShare: first === last ? () => 0.5 : logShare(first, last)};
}

/**
 * Returns a linear axis from 0 to the mark at or above the largest value.
 * @param {readonly number[]} values 0 or above @param {{label: string, format: (value: number) => string}} how @returns {Axis}
 */
export function linearAxis(values, {label, format}) {
  // If all values are 0, the largest mark is arbitrary.
  const high = Math.max(...values) || 1;
  const step = stepFor(high / (maxTicks - 2));
  const count = Math.max(1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({length: count + 1}, (_, index) => ({
    value: index * step,
    label: format(index * step),
  }));
  return {label, ticks, toShare: (value) => value / (count * step)};
}

/**
 * Returns an axis of whole numbers, such as rounds.
 * @param {number} first @param {number} last at least first @param {string} label @returns {Axis}
 */
export function countAxis(first, last, label) {
  const step = Math.max(1, Math.ceil(stepFor((last - first) / (2 * maxTicks) || 1)));
  const ticks = [];
  for (let value = first; value <= last; value += step) ticks.push({value, label: String(value)});
  return {label, ticks, toShare: (value) => (first === last ? 0.5 : (value - first) / (last - first))};
}

/**
 * Returns an axis of names in their order, such as battles. The first name is at 1, and the last name always has a tick.
 * @param {readonly string[]} names at least one @param {string} label @returns {Axis}
 */
export function orderAxis(names, label) {
  const last = names.length;
  const step = Math.ceil(last / maxTicks);
  const ticks = names
    .map((name, index) => ({value: index + 1, label: name}))
    .filter(({value}) => (last - value) % step === 0);
  return {label, ticks, toShare: (value) => (last === 1 ? 0.5 : (value - 1) / (last - 1))};
}

/** @param {number} low @param {number} high */
function logShare(low, high) {
  const width = Math.log(high / low);
  return (/** @type {number} */ value) => Math.log(value / low) / width;
}

/** @param {number} low @param {number} high @returns {number[]} at least two marks around them */
function marksAround(low, high) {
  const marks = [];
  // A logarithm is rounded, so the range has an additional power on each side.
  const [from, to] = [Math.floor(Math.log10(low)) - 1, Math.ceil(Math.log10(high)) + 1];
  for (let exponent = from; exponent <= to; exponent += 1)
    for (const factor of [1, 2, 5]) marks.push(Number(`${factor}e${exponent}`));
  const first = marks.findLastIndex((mark) => mark <= low);
  const last = marks.findIndex((mark) => mark >= high);
  return marks.slice(first, Math.max(last, first + 1) + 1);
}

/** @param {number} atLeast @returns {number} 1, 2 or 5 times a power of ten */
function stepFor(atLeast) {
  const [, above] = marksAround(atLeast * (1 - 1e-9), atLeast);
  return above;
}
