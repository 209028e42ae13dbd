import {ab} from './ab.js';
import {byHand} from './by-hand.js';
import {carryover} from './carryover.js';
import {floor} from './floor.js';
import {httpClients} from './http-clients.js';
import {maxRate} from './max-rate.js';
import {memory} from './memory.js';
import {openLoop} from './open-loop.js';
import {ownTools} from './own-tools.js';
import {perfTest} from './perf-test.js';
import {recording} from './recording.js';
import {roundTrips} from './round-trips.js';
import {scale} from './scale.js';
import {startUp} from './start-up.js';
import {throughput} from './throughput.js';
import {verdict} from './verdict/index.js';

/** @import {Part} from './part.js' */

/** All parts of the bench, in the order of their runs. @type {readonly Part[]} */
export const parts = [
  roundTrips,
  floor,
  byHand,
  recording,
  memory,
  startUp,
  throughput,
  httpClients,
  perfTest,
  ownTools,
  openLoop,
  maxRate,
  verdict,
  carryover,
  ab,
  scale,
];

/** The parts that run without --only. */
export const defaultParts = parts.filter(({needs, isOptIn}) => needs === undefined && !isOptIn);
