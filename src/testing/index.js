import {describe, it} from 'node:test';
import {checkTransport} from './check-transport.js';
import {checks} from './checks.js';

/**
 * @import {Transport} from '../transports/transport.js'
 * @import {GivenSettings} from './pair.js'
 */

/**
 * Registers the checks of a transport with node:test, as a suite.
 * @param {Transport} transport as `defineTransport` returned it
 * @param {GivenSettings} [settings] by the keys of its options, in place of their defaults, and what reaches its broker
 */
export function conformance(transport, settings = {}) {
  describe(`the transport ${transport.name}`, () => {
    for (const {name} of checks)
      it(name, async (test) => {
        for await (const {outcome, text} of checkTransport(transport, settings, [name])) {
          if (outcome === 'failed') throw new Error(text);
          if (outcome === 'skipped') test.skip(text);
        }
      });
  });
}
