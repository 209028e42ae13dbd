import {z} from 'zod';
import {
  cores,
  cpu,
  distribution,
  hops,
  interference,
  interval,
  milliseconds,
  percentileIntervals,
  rate,
  ratio,
  trial,
  wayMean,
} from './record-parts.js';

/** The record of a cell, as the journal keeps it and `--json` prints it. Each field is declared here, once. Readers ignore unknown fields. */

const verdict = z.object({
  status: z
    .enum(['valid', 'wide', 'suspect'])
    .describe('wide: only the interval is too wide; suspect: the figure may be wrong'),
  warnings: z.array(z.object({code: z.string(), message: z.string(), advice: z.string()})),
});

const verdictOfRatio = verdict
  .nullable()
  .default(null)
  .describe(
    'on the ratio, which may hold where the times do not: what slowed both alike cancels; null in records of versions that judged the times alone',
  );

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
        .describe(
          'the sum of the rates of all clients; messagesPerSecond is by the wall clock, at a rate by the schedules',
        ),
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
      hops: hops
        .nullable()
        .default(null)
        .describe('the ways at the broker; null without a broker, and if they are not known'),
      noHops: z.string().nullable().default(null).describe('why the ways at the broker are not known'),
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
  cpu: z.object({
    client: cpu,
    server: cpu,
    broker: cpu,
    serverInClient: z
      .literal(true)
      .optional()
      .describe(
        'a thread of the client answers, so the CPU time of the server is a part of that of the client',
      ),
  }),
  placement: z
    .object({
      client: cores,
      server: cores,
      broker: cores,
      threads: z
        .enum(['main', 'all'])
        .default('all')
        .describe('main: of the roles, only the threads that run their JavaScript were held there'),
    })
    .nullable()
    .default(null)
    .describe('the cores that each role was pinned to, on each of its hosts; null if none was'),
  coreState: z
    .enum(['polling', 'awake', 'sleeping', 'mixed'])
    .default('sleeping')
    .describe(
      'the state of idle cores while it was measured: they polled for work, were kept awake by loops, or slept; mixed: not the same in all rounds',
    ),
  interference: z
    .object({client: interference, server: interference})
    .default({client: null, server: null})
    .describe('what kept the roles from their work; null for a role in records of version 0.1.0'),
  trials: z.array(trial),
  floor: z
    .object({meanMs: milliseconds, ...ratio, verdict: verdictOfRatio})
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
      verdict: verdictOfRatio,
    })
    .nullable()
    .default(null)
    .describe(
      'compared with the fastest cell of the same battle, workload, payload and offered rate, without the floor; null for the floor',
    ),
  verdict,
});

const identity = z.object({
  schema: z.literal(1),
  kind: z.literal('cell'),
  id: z.string(),
  battleId: z.string(),
  startedAt: z.string(),
  transport: z.string(),
  module: z
    .object({
      specifier: z.string(),
      url: z.string(),
      package: z.string().nullable(),
      version: z.string().nullable(),
    })
    .optional()
    .describe(
      'where the transport comes from, if it is not part of perf-battle: as it was named, its file, and its npm package',
    ),
  variant: z.record(z.string(), z.unknown()).describe('every setting in force'),
  labels: z.object({
    facilitator: z.string(),
    qualifier: z.string().nullable(),
    settings: z.array(z.string()),
    persistent: z.string(),
  }),
  guarantee: z
    .object({
      class: z.string().describe('such as in memory'),
      name: z.string().describe('the class, and on how many nodes each message is'),
      runId: z.string().describe('of the run of faults that measured it'),
      startedAt: z.string().describe('of that run'),
    })
    .optional()
    .describe(
      'what the acknowledgement of a message is worth, if perf-battle faults has measured these settings before, into the same journal',
    ),
  workload: z.string(),
  comparedBy: z.enum(['latency', 'rate']),
  payloadBytes: z.number().int().positive(),
  environment: z.string(),
  machine: z.string(),
  hosts: z.object({client: z.string(), server: z.string(), broker: z.string().nullable()}),
  versions: z.record(z.string(), z.string().nullable()),
  seed: z.number(),
  rounds: z
    .object({
      count: z.number().int().nonnegative(),
      stoppedBy: z.enum(['rounds', 'precision', 'budget', 'failures']),
    })
    .optional()
    .describe(
      'of the battle, and the rule that ended it: the given number of rounds, the precision of all means, the budget of time, or failures that left no cell but the floor; missing in an interrupted battle and in version 0.1.0',
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
