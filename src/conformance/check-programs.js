import {checks} from './program-checks.js';
import {Pair} from './program-pair.js';
import {NotChecked, runChecks} from './run-checks.js';

/**
 * @import {Programs} from '../transports/external/index.js'
 * @import {ProgramCheck} from './program-checks.js'
 * @import {Finding} from './run-checks.js'
 */

/** @typedef {{programs: Programs, broker: object | null}} Given the programs to check, and the connection to their broker */

const maxText = 300;

/**
 * Checks whether two programs keep the contract of docs/adapter-contract.md. Each check starts new processes.
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

/** Skips an optional check if the programs do not support it. @param {ProgramCheck} check @returns {ProgramCheck} */
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
  // A message may contain many lines that the program wrote.
  return name === 'TimeoutError'
    ? 'a program did not answer in time'
    : message.replace(/\s+/g, ' ').slice(0, maxText);
}
