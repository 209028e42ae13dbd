import {belowFloor, fallsWithSize} from './cross-cell-warnings.js';
import {cpuSteal, foreignLoad, slowClock} from './host-warnings.js';
import {generatorBehind, littlesLaw, notKeepingUp, saturated} from './load-warnings.js';
import {corrupted, duplicated, lost} from './message-warnings.js';
import {drift, fewSamples, fewTrials, notWarm, trialsDisagree} from './trial-warnings.js';

/** @import {WarningDeclaration} from './warning.js' */

/** All warnings, in the order in which a record lists them. @type {readonly WarningDeclaration[]} */
export const warnings = [
  cpuSteal,
  foreignLoad,
  saturated,
  trialsDisagree,
  drift,
  fewTrials,
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
];
