import {after, before, describe, it} from 'node:test';
import {checks, checkTransport} from './check-transport.js';
import {startBroker} from './transport-pair.js';

/**
 * @import {BringBroker, Transport} from '../transports/transport.js'
 * @import {GivenSettings} from './transport-pair.js'
 */

/**
 * Registers the checks of a transport with node:test, as a suite. A transport that needs a broker gets a private broker, unless the settings
 * have `broker`.
 * @param {Omit<Transport, 'broker'> & {broker: string | null | BringBroker}} transport as `defineTransport` returned it
 * @param {GivenSettings} [settings] override the defaults of the transport's options, by their keys
 */
export function conformance(transport, settings = {}) {
  describe(`the transport ${transport.name}`, () => {
    let given = settings;
    const {broker} = transport;
    if (broker !== null && settings.broker === undefined) {
      const life = new AbortController();
      let release = async () => {};
      before(async () => {
        const started = await startBroker({...transport, broker}, settings, life.signal);
        given = {...started.settings, ...settings};
        release = started.release;
      });
      after(() => release());
    }
    for (const {name} of checks)
      it(name, async (test) => {
        const checked = /** @type {Transport} */ (transport);
        for await (const {outcome, text} of checkTransport(checked, given, [name])) {
          if (outcome === 'failed') throw new Error(text);
          if (outcome === 'skipped') test.skip(text);
        }
      });
  });
}
