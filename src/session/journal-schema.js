import {z} from 'zod';
import {parseRuntimes} from '../packages/runtimes.js';
import {optionsOfBattle} from '../settings/index.js';
import {Histogram} from '../stats/histogram.js';
import {findTransport, transportNames} from '../transports/index.js';
import {workloads} from '../workloads/index.js';

/**
 * Schemas of the journal lines that a resumed or completed battle needs. The user may have edited the lines, and another version may have
 * written them. Unknown fields are kept.
 *
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {Option} from '../options/contract.js'
 */

const wholeNumber = z.number().int().nonnegative();
const time = z.number().nonnegative();

const warmUp = z.discriminatedUnion('kind', [
  z.looseObject({kind: z.literal('auto')}),
  z.looseObject({kind: z.literal('count'), count: wholeNumber}),
  z.looseObject({kind: z.literal('duration'), durationMs: time}),
]);

const cell = z
  .looseObject({
    number: wholeNumber,
    transport: z.string(),
    module: z.looseObject({specifier: z.string(), url: z.string().startsWith('file:')}).optional(),
    workload: z.enum(Object.keys(workloads)),
    variant: z.looseObject({
      noDelay: z.boolean(),
      clients: wholeNumber,
      // The name of a runtime is checked, because npm fetches it.
      runtime: z
        .string()
        .refine((text) => parseRuntimes(text) === text)
        .optional(),
    }),
    payloadBytes: wholeNumber.positive(),
    length: z.looseObject({samples: wholeNumber.nullable(), durationMs: time.nullable(), warmUp}),
    labels: z.looseObject({facilitator: z.string(), settings: z.array(z.string())}),
  })
  .check(({value: {transport, module}, issues}) => {
    if (module || findTransport(transport)) return;
    const message = `must be one of ${transportNames.map((name) => JSON.stringify(name)).join(', ')}`;
    issues.push({code: 'custom', input: transport, path: ['transport'], message});
  });

/** Options that may name a transport of the user, which is unknown until its module is loaded. */
const namesTransports = ['transport', 'expect'];

const config = z.looseObject({seed: z.number()}).check(({value, issues}) => {
  const isComplete = z.array(z.string().refine(findTransport)).safeParse(value.transport).success;
  for (const option of optionsOfBattle) {
    if (!(option.key in value) || isAllowed(option, value[option.key])) continue;
    const isOfOther = z.array(z.string()).safeParse(value[option.key]).success;
    if (!isComplete && isOfOther && namesTransports.includes(option.key)) continue;
    issues.push({
      code: 'custom',
      input: value,
      path: [option.key],
      message: `must be ${option.type.allowed}`,
    });
  }
});

/** The id is restricted, because it becomes part of paths and of names on a broker. */
const battleId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be at most 64 letters, digits, dots, hyphens and underscores',
  );

export const battleLine = z.looseObject({
  id: battleId,
  startedAt: z.string(),
  environment: z.string(),
  machine: z.string(),
  hosts: z.record(z.string(), z.looseObject({})),
  roles: z.looseObject({client: z.string(), server: z.string()}),
  brokers: z.record(z.string(), z.string()).optional(),
  versions: z.record(z.string(), z.string().nullable()),
  config,
  cells: z.array(cell),
  owner: z.looseObject({
    hostname: z.string(),
    pid: wholeNumber.positive(),
    startTime: z.string().nullable(),
    namespace: z.string().nullable().optional(),
    uid: z.number().nullable().optional(),
  }),
});

const usage = z.looseObject({userMs: time, systemMs: time});

const completedTrial = z
  .looseObject({
    cell: z.number(),
    round: wholeNumber,
    outcome: z.literal('completed'),
    startedAt: z.string(),
    disturbed: z.boolean(),
    coreDistance: z.looseObject({p10Ns: time, p50Ns: time, p90Ns: time}).optional(),
    samples: wholeNumber,
    ...{meanMs: time.nullable(), minMs: time.nullable(), maxMs: time.nullable(), stdevMs: time.nullable()},
    histogram: z.string().nullable(),
    figureMs: time,
    floorMs: time.optional(),
    messagesPerSecond: time,
    summedPerSecond: time,
    wallMs: time,
    beside: z.record(z.string(), z.looseObject({histogram: z.string()})),
    phases: z.record(z.string(), z.looseObject({messages: wholeNumber, ms: time})),
    notes: z.record(z.string(), z.number()),
    counts: z.looseObject({sent: wholeNumber, received: wholeNumber, lost: wholeNumber}),
    discarded: wholeNumber,
    windows: z.array(time).min(10).nullable().optional(),
    usage: z.looseObject({client: usage, server: usage.nullable(), broker: usage.nullable()}),
    hostLoads: z.array(z.looseObject({})),
    details: z.looseObject({}),
  })
  .refine((trial) => [trial, ...Object.values(trial.beside)].every(canDecode), 'a histogram cannot be read');

export const trialLine = z.discriminatedUnion('outcome', [
  completedTrial,
  z.looseObject({cell: z.number(), outcome: z.literal('failed')}),
]);

/** The figures of a cell are not checked, because a resumed battle does not read them. */
export const cellLine = z.looseObject({
  id: z.string().min(1),
  outcome: z.enum(['completed', 'failed', 'aborted']),
});

/** In version 0.1.0, the line of a broker had no `brokers`. */
export const brokerLine = z.looseObject({
  versions: z.record(z.string(), z.string().nullable()),
  brokerVersions: z.record(z.string(), z.record(z.string(), z.string().nullable())).optional(),
  brokers: z.record(z.string(), z.string()).optional(),
});

/** @param {unknown} trial */
function canDecode(trial) {
  const encoded = /** @type {EncodedHistogram} */ (trial);
  if (encoded.histogram === null) return true;
  try {
    Histogram.decode(encoded);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the option allows a stored value. @param {Option} option @param {unknown} value */
function isAllowed({type, list, secret}, value) {
  if (value === null || secret) return true;
  if (list && !Array.isArray(value)) return false;
  try {
    return [value].flat().every((one) => type.parse(type.format(one)) !== undefined);
  } catch {
    return false;
  }
}
