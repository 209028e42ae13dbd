import {badInput} from './bad-input.js';
import {brokers} from './brokers.js';
import {caches} from './caches.js';
import {durations} from './durations.js';
import {exits} from './exits.js';
import {faults} from './faults.js';
import {files} from './files.js';
import {hangs} from './hangs.js';
import {hosts} from './hosts.js';
import {kills} from './kills/index.js';
import {limits} from './limits.js';
import {peers} from './peers.js';
import {programs} from './programs.js';
import {races} from './races.js';
import {soak} from './soak.js';

/** @import {Part} from './part.js' */

/** All parts, in the order in which they run. @type {readonly Part[]} */
export const parts = [
  badInput,
  files,
  races,
  kills,
  hosts,
  peers,
  programs,
  hangs,
  brokers,
  caches,
  limits,
  faults,
  exits,
  soak,
  durations,
];
