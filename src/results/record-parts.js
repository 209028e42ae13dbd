import {z} from 'zod';

/** The measures of a record that several of its fields share: times, intervals, distributions, CPU. */

/** A field that older records lack. @template {z.ZodType} Schema @param {Schema} schema */
function orNull(schema) {
  return schema.nullable().default(null);
}

export const milliseconds = z.number().nonnegative().describe('in ms');
const bounds = z.tuple([z.number(), z.number()]).nullable();
export const interval = bounds.describe(
  '95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial',
);

export const cpu = z
  .object({
    userMs: milliseconds,
    systemMs: milliseconds,
    percent: z.number().nonnegative().nullable().describe('of one core'),
    microsPerMessage: z
      .number()
      .nonnegative()
      .nullable()
      .describe('without the time that a client took between round trips to check and record replies'),
    maxRssBytes: z.number().nonnegative().nullable().describe('the peak over the measured part'),
  })
  .nullable()
  .describe('over the measured part; null if it is not known');

export const cores = z.array(z.number().int().nonnegative()).nullable().describe('null: any');
const count = z.number().int().nonnegative().nullable();

export const interference = z
  .object({
    runDelayMs: milliseconds
      .nullable()
      .describe('how long main threads were ready to run and waited for a core'),
    stealMs: milliseconds.nullable().describe('how long the hypervisor kept main threads from running'),
    throttledMs: milliseconds.nullable().describe('how long CPU limits of control groups stopped them'),
    involuntarySwitches: count.describe('how often threads were taken off their cores'),
    migrations: count.describe('how often main threads changed their cores'),
    gcMs: milliseconds.nullable().describe('pauses of garbage collections'),
    loopDelayMaxMs: milliseconds.nullable().describe('by how much an event loop was late at most'),
  })
  .nullable()
  .describe(
    'over the measured parts of the trials that count; a figure is null if the system does not offer it',
  );

const percentile = milliseconds
  .nullable()
  .describe('in ms; null if fewer than ten samples are above it, or if it is withheld');

const known = milliseconds.nullable().describe('in ms; null only if it is withheld, see oneWay');

const percentileInterval = bounds.describe(
  '95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile',
);

/** @template Schema, Late @param {Schema} schema of a percentile @param {Late} p95 which older records lack */
function ofPercentiles(schema, p95) {
  return {
    ...{p50Ms: schema, p75Ms: schema, p90Ms: schema, p95Ms: p95, p99Ms: schema},
    ...{p999Ms: schema, p9999Ms: schema, p99999Ms: schema},
  };
}

export const percentileIntervals = z
  .object(ofPercentiles(percentileInterval, percentileInterval.default(null)))
  .optional()
  .describe('of the percentiles of the same names; missing in older records');

export const distribution = {
  meanMs: known,
  minMs: known,
  maxMs: known,
  stdevMs: known.describe(
    'standard deviation of the samples, in ms; null only if it is withheld, see oneWay',
  ),
  ...ofPercentiles(percentile, percentile.default(null)),
  samples: z.number().int().positive(),
};

export const rate = {
  messagesPerSecond: z.number(),
  ci95MessagesPerSecond: bounds.describe('95 % confidence interval over trials; null for a single trial'),
};

export const ratio = {
  ratio: z.number().describe('of the times, by the rounds in which both ran'),
  ratioCi95: bounds
    .default(null)
    .describe('95 % confidence interval, paired by round; null for too few trials, and in older records'),
};

export const wayMean = z.object({
  meanMs: z.number().describe('in ms; between hosts below zero if the clocks differ by more'),
  ci95Ms: bounds.describe(
    '95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial',
  ),
});

const wayByBroker = z
  .object({
    before: wayMean.describe('until the last byte of the message was sent to the broker'),
    broker: wayMean.describe('from there until the broker sent its first byte on'),
    after: wayMean.describe('from there'),
  })
  .describe('the three parts of a way, which add up to it');

export const hops = z.object({request: wayByBroker, reply: wayByBroker});

export const trial = z.object({
  round: z.number().int().positive(),
  startedAt: z.string(),
  meanMs: milliseconds.nullable(),
  minMs: milliseconds.nullable(),
  maxMs: milliseconds.nullable(),
  stdevMs: milliseconds.nullable(),
  samples: z.number().int().nonnegative(),
  messagesPerSecond: z.number(),
  wallMs: milliseconds,
  discarded: z.number().int().nonnegative(),
  slices: orNull(z.number().int()).describe(
    'in how many slices it was measured, in turn with the trials of other cells; null: in one piece',
  ),
  floorMs: orNull(milliseconds).describe(
    'what raw TCP took that was measured beside it, where a round has several blocks; null: its ratio is to the trial of raw TCP in the same round',
  ),
  windows: z
    .array(milliseconds)
    .nullable()
    .optional()
    .describe(
      'mean round trips of ten parts of the trial with equal numbers of samples; missing in version 0.1.0',
    ),
  warm: z
    .boolean()
    .optional()
    .describe('only in version 0.1.0: whether the median was stable after the warm-up'),
  startSkewMs: orNull(milliseconds).describe(
    'from the start of the first client to that of the last one, in ms; null for one client',
  ),
  tcpRetransmits: orNull(z.number().int()).describe(
    'segments that TCP sent again on the hosts of the clients and servers, by any of their processes, while it was measured; null if it is not known',
  ),
  retransmissions: orNull(z.number().int()).describe(
    'datagrams that the clients and servers of UDP sent again while it was measured; null for a transport that leaves that to TCP',
  ),
  disturbed: z.boolean(),
  coreDistance: orNull(z.object({p10Ns: z.number(), p50Ns: z.number(), p90Ns: z.number()})).describe(
    'percentiles, over the parts of the trial, of the time of a cache line from one core of the host to the other and back; null if it is not known, as on hosts with more than two cores',
  ),
  lostShare: orNull(z.number()).describe(
    'the largest share, over the roles, of the time in which one was ready to run and others kept it from running; null if it is not known',
  ),
  foreignShare: orNull(z.number()).describe(
    "the largest share of a host's CPU that other processes used, over the hosts on which several processes of the trial ran; null if it is not known",
  ),
  brokerRestarted: orNull(z.boolean()).describe(
    'whether the broker is another one than when the battle began; null if that is not seen',
  ),
  used: z
    .boolean()
    .describe(
      'whether it counts: disturbed trials do not count if three others remain, and trials in which the cores of the host were moved do not count if five others remain',
    ),
  histogram: z.string().nullable().describe('HdrHistogram V2, compressed, base64, in ns'),
});
