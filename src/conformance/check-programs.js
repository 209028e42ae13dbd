import {checks} from './program-checks.js';
import {Pair} from './program-pair.js';
import {NotChecked, runChecks} from './run-checks.js';

/**
 * @import {Programs} from '../transports/external/index.js'
 * @import {ProgramCheck} from './program-checks.js'
 * @import {Finding} from './run-checks.js'
 */

/** @typedef {{programs: Programs, broker: object | null}} Given programs to check; broker: how to reach the one that they need */

const maxText = 300;

/**
 * Checks whether two programs keep the contract of docs/adapter-contract.md, each time with new processes.
 * @param {Given} given @param {AbortSignal} signal @param {readonly ProgramCheck[]} [selected]
 * @returns {AsyncGenerator<Finding>}
 */
export function checkPrograms(given, signal, selected = checks) {
  return runChecks(selected.map(ifKnown), {
    open: () => new Pair(given, signal),
    whyNot: ({needsRelay = false}, previous) =>
      needsRelay && previous?.relay === null ? 'clients reach the server through a broker' : null,
    describe,
    signal,
  });
}

/** Asks the programs first where not all know what a check is about. @param {ProgramCheck} check @returns {ProgramCheck} */
function ifKnown(check) {
  const {optional, run} = check;
  if (optional === undefined) return check;
  return {
    ...check,
    async run(pair) {
      if (!(await pair.knows(optional))) throw new NotChecked('they say that they cannot');
      return await run(pair);
    },
  };
}

/** @param {Error} error */
function describe({name, message}) {
  // What a program wrote may follow, in many lines.
  return name === 'TimeoutError'
    ? 'a program did not answer in time'
    : message.replace(/\s+/g, ' ').slice(0, maxText);
}
