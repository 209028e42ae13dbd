import {belowFloor, corrupted, drift, duplicated, fallsWithSize, lost} from './cell-warnings.js';
import {
  brokerRestarted,
  garbageCollection,
  generatorBehind,
  littlesLaw,
  notKeepingUp,
  runDelay,
  saturated,
  slowClock,
  stalled,
} from './host-warnings.js';
import {fewSamples, notWarm, wide} from './trial-warnings.js';

/** @import {WarningDeclaration} from './warning.js' */

/** All warnings, in the order in which a record lists them. @type {readonly WarningDeclaration[]} */
export const warnings = [
  runDelay,
  brokerRestarted,
  saturated,
  stalled,
  garbageCollection,
  drift,
  fewSamples,
  notWarm,
  lost,
  corrupted,
  duplicated,
  generatorBehind,
  notKeepingUp,
  littlesLaw,
  slowClock,
  belowFloor,
  fallsWithSize,
  wide,
];

/** @param {string} code @returns {WarningDeclaration | undefined} undefined: of another version */
export function warningNamed(code) {
  return warnings.find((warning) => warning.code === code);
}
