import {z} from 'zod';

/**
 * The record of a cell, as the journal keeps it and `--json` prints it. Each field is declared here, once. Readers ignore
 * unknown fields.
 */

const milliseconds = z.number().nonnegative().describe('in ms');
const bounds = z.tuple([z.number(), z.number()]).nullable();
const interval = bounds.describe(
  '95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial',
);

const cpu = z
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

const cores = z.array(z.number().int().nonnegative()).nullable().describe('null: any');
const count = z.number().int().nonnegative().nullable();

const interference = z
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

const percentileIntervals = z
  .object({
    p50Ms: percentileInterval,
    p75Ms: percentileInterval,
    p90Ms: percentileInterval,
    p99Ms: percentileInterval,
    p999Ms: percentileInterval,
    p9999Ms: percentileInterval,
    p99999Ms: percentileInterval,
  })
  .optional()
  .describe('of the percentiles of the same names; missing in older records');

const distribution = {
  meanMs: known,
  minMs: known,
  maxMs: known,
  stdevMs: known.describe(
    'standard deviation of the samples, in ms; null only if it is withheld, see oneWay',
  ),
  p50Ms: percentile,
  p75Ms: percentile,
  p90Ms: percentile,
  p99Ms: percentile,
  p999Ms: percentile,
  p9999Ms: percentile,
  p99999Ms: percentile,
  samples: z.number().int().positive(),
};

const rate = {
  messagesPerSecond: z.number(),
  ci95MessagesPerSecond: bounds.describe('95 % confidence interval over trials; null for a single trial'),
};

const ratio = {
  ratio: z.number().describe('of the times, by the rounds in which both ran'),
  ratioCi95: bounds
    .default(null)
    .describe('95 % confidence interval, paired by round; null for too few trials, and in older records'),
};

const wayMean = z.object({
  meanMs: z.number().describe('in ms; between hosts below zero if the clocks differ by more'),
  ci95Ms: bounds.describe(
    '95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial',
  ),
});

const figures = z.object({
  rtt: z
    .object({...distribution, ci95Ms: interval, ci95: percentileIntervals})
    .nullable()
    .describe(
      'round trips; in an open loop the response time, from the intended send time; null if there are no replies',
    ),
  latencies: z
    .record(z.string(), z.object({...distribution, ci95Ms: interval.optional(), ci95: percentileIntervals}))
    .describe('other distributions by name: service and sendLag of an open loop, hit and miss of a cache'),
  throughput: z
    .object({
      ...rate,
      bytesPerSecond: z.number(),
      summedMessagesPerSecond: z
        .number()
        .describe('the sum of the rates of all clients; messagesPerSecond is by the wall clock'),
    })
    .describe('of the timed part; for rtt, the inverse of the mean'),
  phases: z
    .record(z.string(), z.object({messages: z.number().int(), meanMs: milliseconds, ...rate}))
    .describe(
      'separately timed parts, by name: enqueue and dequeue of a queue, sender of a stream with a closing call',
    ),
  openLoop: z
    .object({
      offeredPerSecond: z.number(),
      achievedPerSecond: z.number(),
      keepsUp: z
        .boolean()
        .describe(
          'at least 97 % of the offered rate was achieved, and half of the messages were sent late by at most 1 % of the run',
        ),
    })
    .nullable()
    .describe('null in a closed loop'),
  oneWay: z
    .object({clockBoundMs: milliseconds, withheld: z.boolean()})
    .nullable()
    .default(null)
    .describe(
      'of one-way messages between hosts: the error bound of their measured clock offset; withheld: some figures are null because they are less than five times that',
    ),
  link: z
    .object({
      bytesPerSecond: z
        .number()
        .describe('what the link carries: measured before the first round with raw TCP'),
      usedShare: z
        .number()
        .describe(
          'of that, mean over trials; with one message in flight, both directions together; otherwise the busier one',
        ),
      isLimit: z.boolean().describe('the share is at least 90 %: the transport waits for the link'),
    })
    .nullable()
    .default(null)
    .describe('between hosts; null within one host, and if the link is faster than raw TCP or not known'),
  anatomy: z
    .object({
      request: wayMean.describe("from the client's call to the server's handler"),
      handler: wayMean.describe("from the request to the reply, in the server's handler"),
      reply: wayMean.describe('from there until the client has the whole reply'),
      clockBoundMs: milliseconds.describe(
        'by how much request and reply may be shifted against each other; 0 on one host',
      ),
    })
    .nullable()
    .default(null)
    .describe('with --anatomy: what the mean round trip consists of; null if it is not known'),
  counts: z.object({
    sent: z.number().int(),
    received: z.number().int(),
    lost: z.number().int(),
    verified: z.number().int(),
    duplicated: z.number().int(),
    reordered: z.number().int(),
    corrupted: z.number().int(),
    retried: z.number().int(),
    timedOut: z.number().int(),
  }),
  cpu: z.object({client: cpu, server: cpu, broker: cpu}),
  placement: z
    .object({client: cores, server: cores, broker: cores})
    .nullable()
    .default(null)
    .describe('the cores that each role was pinned to, on each of its hosts; null if none was'),
  interference: z
    .object({client: interference, server: interference})
    .default({client: null, server: null})
    .describe('what kept the roles from their work; null for a role in records of version 0.1.0'),
  trials: z.array(
    z.object({
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
      startSkewMs: milliseconds
        .nullable()
        .default(null)
        .describe('from the start of the first client to that of the last one, in ms; null for one client'),
      tcpRetransmits: z
        .number()
        .int()
        .nullable()
        .default(null)
        .describe(
          'segments that TCP sent again on the hosts of the clients and servers, by any of their processes, while it was measured; null if it is not known',
        ),
      disturbed: z.boolean(),
      lostShare: z
        .number()
        .nullable()
        .default(null)
        .describe(
          'the largest share, over the roles, of the time in which one was ready to run and others kept it from running; null if it is not known',
        ),
      foreignShare: z
        .number()
        .nullable()
        .default(null)
        .describe(
          "the largest share of a host's CPU that other processes used, over the hosts on which several processes of the trial ran; null if it is not known",
        ),
      brokerRestarted: z
        .boolean()
        .nullable()
        .default(null)
        .describe('whether the broker is another one than when the battle began; null if that is not seen'),
      used: z.boolean().describe('whether it counts: disturbed trials do not count if three others remain'),
      histogram: z.string().nullable().describe('HdrHistogram V2, compressed, base64, in ns'),
    }),
  ),
  floor: z
    .object({meanMs: milliseconds, ...ratio})
    .nullable()
    .describe(
      'the raw TCP floor of the same battle and payload; for workloads compared by rate, the time per message',
    ),
  vsFastest: z
    .object({
      id: z.string().describe('of the fastest cell; that cell names itself'),
      ...ratio,
      pValue: z.number().nullable().describe('of a two-sided rank test'),
      difference: z
        .enum(['slower', 'faster', 'no difference shown'])
        .describe('shown only if the interval excludes 1 and the ratio differs from 1 by at least 2 %'),
    })
    .nullable()
    .default(null)
    .describe(
      'compared with the fastest cell of the same battle, workload, payload and offered rate, without the floor; null for the floor',
    ),
  verdict: z.object({
    status: z
      .enum(['valid', 'wide', 'suspect'])
      .describe('wide: only the interval is too wide; suspect: the figure may be wrong'),
    warnings: z.array(z.object({code: z.string(), message: z.string(), advice: z.string()})),
  }),
});

const identity = z.object({
  schema: z.literal(1),
  kind: z.literal('cell'),
  id: z.string(),
  battleId: z.string(),
  startedAt: z.string(),
  transport: z.string(),
  variant: z.record(z.string(), z.unknown()).describe('every setting in force'),
  labels: z.object({
    facilitator: z.string(),
    qualifier: z.string().nullable(),
    settings: z.array(z.string()),
    persistent: z.string(),
  }),
  workload: z.string(),
  comparedBy: z.enum(['latency', 'rate']),
  payloadBytes: z.number().int().positive(),
  environment: z.string(),
  machine: z.string(),
  hosts: z.object({client: z.string(), server: z.string(), broker: z.string().nullable()}),
  versions: z.record(z.string(), z.string().nullable()),
  seed: z.number(),
  rounds: z
    .object({count: z.number().int().nonnegative(), stoppedBy: z.enum(['rounds', 'precision', 'budget'])})
    .optional()
    .describe(
      'of the battle, and the rule that ended it: the given number of rounds, the precision of all means, or the budget of time; missing in an interrupted battle and in version 0.1.0',
    ),
  config: z.record(z.string(), z.unknown()).describe('every setting of the battle, without secrets'),
});

const completed = identity.extend({outcome: z.literal('completed'), ...figures.shape});
const failed = identity.extend({
  outcome: z.literal('failed'),
  error: z.object({code: z.string(), message: z.string()}),
});
const aborted = identity.extend({outcome: z.literal('aborted')});

/** A cell's outcome is a tagged union: only a completed one has figures. */
export const cellRecord = z.discriminatedUnion('outcome', [completed, failed, aborted]);

/**
 * @typedef {z.infer<typeof cellRecord>} CellRecord
 * @typedef {z.infer<typeof completed>} CompletedRecord
 * @typedef {z.infer<typeof identity>} CellIdentity
 * @typedef {z.infer<typeof figures>} Figures
 */
