import {connectsForEach} from '../transports/index.js';
import {endChecks} from './end-checks.js';
import {messageChecks} from './message-checks.js';
import {runChecks} from './run-checks.js';
import {Pair, settingsOf} from './transport-pair.js';

/**
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {Finding} from './run-checks.js'
 * @import {GivenSettings, TransportCheck} from './transport-pair.js'
 */

export const checks = [...messageChecks, ...endChecks];

/**
 * A message that breaks the handler of a check fails the check, at once.
 * @param {TransportCheck} check @returns {TransportCheck}
 */
function untilHandlerFails({run, ...check}) {
  return {...check, run: (pair) => Promise.race([run(pair), pair.handlerFailed])};
}

/**
 * Checks a transport. Each check opens a new pair in this process.
 * @param {Transport} transport @param {GivenSettings} settings override the defaults of the transport's options
 * @param {readonly string[]} [names] the names of the checks; default all
 * @returns {AsyncGenerator<Finding>}
 */
export function checkTransport(transport, settings, names = checks.map(({name}) => name)) {
  const {broker, capabilities, answersInClient} = transport;
  const variant = /** @type {AnyVariant} */ (settingsOf(transport, settings));
  return runChecks(checks.filter(({name}) => names.includes(name)).map(untilHandlerFails), {
    open: () => new Pair(transport, settings),
    whyNot({needs, overSocket = false, onConnection = false, handles = false}) {
      if (!capabilities.includes(needs)) return `it does not say that it can ${needs}`;
      if (handles && answersInClient) return 'a thread of the client answers, with the request itself';
      if (onConnection && connectsForEach(transport, variant))
        return 'each request in flight has a connection of its own';
      if (overSocket && broker !== null) return 'clients reach the server through a broker';
      return transport.refuse?.(variant, [needs]) ?? null;
    },
  });
}
