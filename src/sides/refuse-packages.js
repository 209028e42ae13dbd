import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';

/**
 * @import {Side} from '../settings/types.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * Refuses a package of a side that no transport uses, and one that a transport of the user loads from its own folder.
 * @param {readonly Pick<Side, 'name' | 'program'>[]} sides
 * @param {readonly Pick<Transport, 'name' | 'libraries' | 'module'>[]} transports those of the battle @throws {UsageError}
 */
export function refusePackages(sides, transports) {
  for (const {name: side, program} of sides)
    for (const library of Object.keys(program.packages ?? {}).filter((name) => name !== 'node')) {
      const users = transports.filter(({libraries}) => libraries.includes(library));
      const guest = users.find(({module}) => module !== undefined);
      if (guest)
        throw new UsageError(
          `--${side} has ${library}, and the transport ${quote(guest.name)} loads its own copy. To compare two versions, run a battle with each, then perf-battle compare previous latest.`,
        );
      if (users.length === 0)
        throw new UsageError(
          `--${side} has ${library}, which is not used by ${transports.map(({name}) => name).join(', ')}. Name a --transport that uses it.`,
        );
    }
}
