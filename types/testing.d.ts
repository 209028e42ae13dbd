/** The types of `import … from 'perf-battle/testing'` (docs/your-own-transport.md). */
import type {Declaration} from './transport.js';

/**
 * Registers the checks of a transport with node:test, as a suite. A transport that needs a broker gets a private one, unless the settings have `broker`.
 * @param transport as `defineTransport` returned it
 * @param settings by the keys of its options, in place of their defaults
 */
export declare function conformance(
  transport: Declaration,
  settings?: Readonly<Record<string, unknown>>,
): void;
