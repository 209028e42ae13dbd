const units = [
  {name: 'ns', nanoseconds: 1},
  {name: 'µs', nanoseconds: 1e3},
  {name: 'ms', nanoseconds: 1e6},
];
const seconds = {name: 's', nanoseconds: 1e9};

const significantDigits = 4;

/**
 * A time in a suitable unit, with four significant digits: 850.0 ns, 5.627 µs, 78.16 ms, 3600 s. It is rounded before the unit is chosen,
 * so that 999.96 ns is 1.000 µs and not 1000 ns.
 *
 * @param {number | null} nanoseconds not negative
 * @returns {string} n/a for null
 */
export function formatTime(nanoseconds) {
  if (nanoseconds === null) return 'n/a';
  if (nanoseconds === 0) return '0 ns';
  const rounded = Number(nanoseconds.toPrecision(significantDigits));
  const unit = units.find((candidate) => rounded < 1000 * candidate.nanoseconds) ?? seconds;
  return `${formatFigure(nanoseconds / unit.nanoseconds)} ${unit.name}`;
}

/** Avoids the exponent that toPrecision uses for whole numbers with more digits. @param {number} value */
function formatFigure(value) {
  const limit = 10 ** significantDigits - 0.5;
  return value >= limit ? value.toFixed(0) : value.toPrecision(significantDigits);
}
