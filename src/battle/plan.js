import {shuffle} from 'simple-statistics';
import {UsageError} from '../errors.js';
import {variantOptions} from '../options/all.js';
import {randomSource} from '../payload/random.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';

/**
 * One variant × workload × payload.
 *
 * @typedef {object} Cell
 * @property {number} number from 1, as planned
 * @property {string} transport
 * @property {import('../transports/index.js').Variant} variant every setting in force
 * @property {string} workload
 * @property {number} payloadBytes
 * @property {Labels} labels how tables name it
 *
 * @typedef {object} Labels
 * @property {string} facilitator RabbitMQ, HTTP, …
 * @property {string | null} qualifier what tells the usual variants apart: mode 1
 * @property {string[]} settings that are not the default
 * @property {string} persistent Yes, No or *N/A*
 */

/** The transport that all others are compared with. */
const floor = 'tcp';

/**
 * Options into cells. The raw TCP floor is always among them.
 *
 * @param {import('../options/resolve.js').Settings} settings
 * @returns {Cell[]}
 * @throws {UsageError} when a transport cannot do a workload, or refuses a combination of settings that the person asked for
 */
export function planCells(settings) {
  const {transport, workload, payloadBytes} = settings.values;
  const names = [...new Set([floor, ...transport])];
  const variants = names.flatMap((name) => variantsOf(transportNamed(name), settings));
  const cells = workload.flatMap((/** @type {string} */ workloadName) =>
    payloadBytes.flatMap((/** @type {number} */ bytes) =>
      variants.map((variant) => ({...variant, workload: workloadName, payloadBytes: bytes})),
    ),
  );
  refuseIncapable(cells);
  return cells.map((/** @type {any} */ cell, /** @type {number} */ index) => ({number: index + 1, ...cell}));
}

/**
 * The cells of one round in their random order; the same seed gives the same order.
 * @param {readonly Cell[]} cells
 * @param {number} round from 1
 * @param {number} seed
 */
export function orderOfRound(cells, round, seed) {
  return shuffle([...cells], randomSource(seed, `order of round ${round}`));
}

/**
 * Every combination of a transport's settings. One that it refuses is an error when the person asked for it, and left out
 * when it only comes from a default.
 * @param {import('../transports/index.js').Transport} transport
 * @param {import('../options/resolve.js').Settings} settings
 */
function variantsOf(transport, settings) {
  const options = variantOptions(transport);
  const combinations = options.reduce(
    (partial, {key}) => {
      const values = settings.values[key] ?? [null];
      return partial.flatMap((variant) =>
        values.map((/** @type {unknown} */ value) => ({...variant, [key]: value})),
      );
    },
    /** @type {import('../transports/index.js').Variant[]} */ ([{}]),
  );
  const complete = combinations.map((variant) => transport.complete?.(variant) ?? variant);
  const possible = complete.filter((variant) => !transport.refuse?.(variant));
  const byDefault = options.some(
    ({key}) => settings.origins[key].kind === 'default' && settings.values[key]?.length > 1,
  );
  if (possible.length < complete.length && !(byDefault && possible.length > 0)) {
    throw new UsageError(
      /** @type {string} */ (complete.map((variant) => transport.refuse?.(variant)).find(Boolean)),
    );
  }
  return possible.map((variant) => ({
    transport: transport.name,
    variant,
    labels: labelsOf(transport, variant),
  }));
}

/**
 * @param {import('../transports/index.js').Transport} transport
 * @param {import('../transports/index.js').Variant} variant with what only the running processes know, when they have told it
 * @returns {Labels}
 */
export function labelsOf(transport, variant) {
  const unusual = variantOptions(transport)
    .filter((option) => variant[option.key] !== option.default)
    .map((option) => option.label?.(variant[option.key]) ?? null);
  return {
    facilitator: transport.label,
    qualifier: transport.qualifier?.(variant) ?? null,
    settings: [...unusual.filter((label) => label !== null), ...(transport.details?.(variant) ?? [])],
    persistent: transport.persistent?.(variant) ?? '*N/A*',
  };
}

/** @param {readonly Omit<Cell, 'number'>[]} cells */
function refuseIncapable(cells) {
  for (const {transport, workload} of cells) {
    const {capabilities} = transportNamed(transport);
    const missing = workloads[workload].needs.find(
      (need) => !(/** @type {string[]} */ ([...capabilities]).includes(need)),
    );
    if (missing)
      throw new UsageError(
        `--workload ${workload} cannot be had with --transport ${transport}: it cannot ${missing}.`,
      );
  }
}
