import {z} from 'zod';
import {RunError} from '../../errors.js';

/**
 * The contract between perf-battle and third-party programs, version 1: docs/adapter-contract.md. The roles of perf-battle itself exchange
 * additional messages (protocol.js).
 */

/** Sent with `configure`. */
export const contractVersion = /** @type {const} */ (1);

/** Sums of such counts over clients and trials are still exact. */
const maxCount = 1e12;
const count = z.number().int().nonnegative().max(maxCount);
const maxDetailsCharacters = 4096;
const details = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .refine((one) => JSON.stringify(one).length <= maxDetailsCharacters, {
    message: `has more than ${maxDetailsCharacters} characters of JSON`,
  })
  .describe(
    `versions and settings that only the program knows; stored in the record. At most ${maxDetailsCharacters} characters of JSON`,
  );

/** Options of both programs. perf-battle writes one JSON object per line, and programs ignore other types and fields. */
const options = z.object({
  contract: z.literal(contractVersion),
  workload: z
    .string()
    .describe(
      'what to measure: rtt, pipeline, cached, recordset, stream, or queue. Any other ends with an error event',
    ),
  payloadBytes: count
    .min(1)
    .describe('size of a request, and of its reply; of recordset, about the size of all rows of a reply'),
  rows: count.min(1).optional().describe('recordset: the rows of each reply'),
  seed: count.describe('for the bytes of the payload'),
  reply: z
    .enum(['echo', 'increment'])
    .describe('what a reply is: the bytes of the request, or each of them plus one (mod 256)'),
  verify: count
    .min(1)
    .describe('compare every byte of one message in this many; with rtt, and out of a queue, of each'),
  timeoutMs: z.number().positive().describe('a request without a reply within this time is lost'),
  noDelay: z.boolean().describe('TCP_NODELAY on every socket'),
  broker: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('the address and the credentials of the broker, with the password; null without a broker'),
  prefix: z
    .string()
    .optional()
    .describe(
      'the prefix of the names of everything that the programs create on the broker; each trial has its own',
    ),
  queue: z.string().optional().describe('RabbitMQ: the same as prefix'),
  deliveryMode: z.number().optional().describe('RabbitMQ: 1 or 2'),
});

const ofServer = options.extend({
  listenAddress: z.string().nullable().describe('null: all addresses'),
  serverPort: count.max(65_535).describe('0: any free port'),
});

const part = z.object({
  payloadBytes: count.min(1),
  samples: count.nullable().describe('null: no bound'),
  durationMs: z.number().positive().nullable().describe('null: no bound'),
});

const ofClient = options.extend({
  servers: z.array(z.string()).describe("host:port of each server, the client's own first"),
  client: count.describe('index among the clients, from 0'),
  window: count.min(1).describe('requests in flight; 1 for rtt'),
  closingCall: z
    .boolean()
    .optional()
    .describe('stream: the last message is followed by one request, whose reply ends the measured part'),
  pairwise: z
    .boolean()
    .optional()
    .describe('queue: one message in and out again, one pair after the other; a sample is a pair'),
  hitRatio: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('cached: the share of requests that the cache of the client answers'),
  warmUp: z.array(part).describe('parts, each over at its samples or its duration, whichever is first'),
  samples: count.nullable().describe('requests or messages of the measured part; null: no bound'),
  durationMs: z.number().positive().nullable().describe('of the measured part; null: no bound'),
});

/** @typedef {z.infer<typeof ofServer>} ServerOptions */
/** @typedef {z.infer<typeof ofClient>} ClientOptions */

const command = (/** @type {string} */ type, /** @type {string} */ meaning) =>
  z.object({type: z.literal(type)}).describe(meaning);
const beat = command('beat', 'each second. After 5 s without a line a program ends');
const stop = command('stop', 'close everything, and end with exit code 0');

const toServer = z.union([
  z.object({type: z.literal('configure'), options: ofServer}),
  command('mark', 'report what was served since the last mark'),
  command('count', 'report how many messages of stream have arrived since the last mark'),
  beat,
  stop,
]);

const toClient = z.union([
  z.object({type: z.literal('configure'), options: ofClient}),
  command('start', 'warm up'),
  command('go', 'measure'),
  beat,
  stop,
]);

const progress = z.literal('progress');

const error = z.object({
  event: z.literal('error'),
  message: z.string().min(1).max(2000).describe('a sentence for a person, without secrets'),
});

const reply = z
  .literal('increment')
  .optional()
  .describe('repeats the option: a program that does not know it would echo');

const serverReady = z.object({
  event: z.literal('ready'),
  reply,
  address: z
    .string()
    .max(300)
    .nullable()
    .describe('host:port that clients connect to; null: through the broker'),
  daemons: z
    .array(count.min(2).describe('a process id'))
    .max(16)
    .optional()
    .describe(
      'the process ids of daemons, the background processes that the program started; a fault may kill them',
    ),
  details: details.optional(),
});

const milliseconds = z.number().nonnegative();

const arrived = z
  .object({
    messages: count.min(1),
    duplicated: count.default(0).describe('of them, those that had arrived before'),
    reordered: count.default(0).describe('of them, those that came after a later one'),
    verified: count.default(0).describe('of them, those of which every byte was compared'),
    corrupted: count.default(0),
    mismatch: z.string().max(1000).nullable().default(null),
    sinceFirstMs: milliseconds.describe('from the first of them until this line is written'),
    sinceLastMs: milliseconds.describe('from the last of them until this line is written'),
  })
  .refine((one) => one.sinceLastMs <= one.sinceFirstMs, {message: 'has its last message before its first'})
  .refine((one) => one.duplicated < one.messages, {message: 'has only duplicates'})
  .refine((one) => Math.max(one.reordered, one.verified, one.corrupted) <= one.messages, {
    message: 'has more reordered, verified or corrupted messages than messages',
  });

/** @typedef {z.infer<typeof arrived>} Arrived */

const marked = z.object({
  event: progress,
  phase: z.literal('mark'),
  served: count.describe('requests answered since the last mark'),
  arrived: arrived.optional().describe('stream: the messages since the last mark, if there were any'),
});

const counted = z.object({
  event: progress,
  phase: z.literal('count'),
  received: count.describe('messages since the last mark, without duplicates'),
});

const clientReady = z.object({event: z.literal('ready'), reply, details: details.optional()});
const sent = count.optional().describe('stream: the messages that were sent in this part');
const warm = z.object({event: progress, phase: z.literal('warm'), sent});
const measured = z.object({event: progress, phase: z.literal('measured'), sent});

const maxSampleNs = 3.6e12;
const minSampleNs = 1;
const sampleNs = z.number().min(minSampleNs).max(maxSampleNs);
const samplesNs = z
  .array(sampleNs)
  .min(1)
  .describe(
    'the round trip of each request in ns, in the order of their ends; of a lost one the time after which it was given up',
  );

/** A histogram with every bucket full has about 400,000 characters. */
const maxHistogramCharacters = 1_000_000;

const encoded = z
  .object({
    samples: count.min(1),
    meanMs: milliseconds,
    minMs: milliseconds,
    maxMs: milliseconds,
    stdevMs: milliseconds,
    histogram: z
      .string()
      .max(maxHistogramCharacters)
      .describe('HdrHistogram V2, compressed, base64, in ns, three significant digits'),
  })
  .describe('in place of samplesNs');

const cache = z
  .object({
    hitsNs: z.array(sampleNs).describe('the time of each request that the cache answered'),
    missesNs: z.array(sampleNs).describe('of each other one, until its reply was stored'),
  })
  .refine(({hitsNs, missesNs}) => hitsNs.length + missesNs.length > 0, {message: 'has no samples'})
  .describe('of cached, in place of samplesNs');

const phase = z.object({
  messages: count.min(1),
  ms: z.number().positive().describe('from the first step to the last message'),
});

const result = z
  .object({
    event: z.literal('result'),
    samplesNs: samplesNs.optional(),
    encoded: encoded.optional(),
    phases: z
      .object({enqueue: phase, dequeue: phase})
      .optional()
      .describe('of queue without pairwise, in place of samples: all messages in, and all of them out'),
    sent: count
      .min(1)
      .optional()
      .describe('of stream, in place of samples: the messages of the measured part'),
    cache: cache.optional(),
    rows: count.optional().describe('of recordset: the rows that were decoded, of all replies together'),
    windows: z
      .array(milliseconds)
      .length(10)
      .optional()
      .describe('beside encoded: means in ms of ten parts with equal numbers of samples'),
    received: count.optional().describe('replies, or messages that were taken out; not of stream'),
    verified: count
      .optional()
      .describe('replies of which every byte was compared with the request; not of stream'),
    corrupted: count.default(0).describe('replies with wrong content'),
    timedOut: count.default(0),
    duplicated: count.default(0).describe('replies to no request in flight'),
    discarded: count.describe('requests of the warm-up'),
    durationMs: z
      .number()
      .positive()
      .optional()
      .describe(
        'from the first request to the last reply; needed for pipeline, recordset with several requests in flight, pairwise, and a closing call',
      ),
    mismatch: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('what was wrong with the first wrong reply'),
  })
  .refine(
    (one) => [one.samplesNs, one.encoded, one.phases, one.sent, one.cache].filter(Boolean).length === 1,
    {
      message:
        'must have either samplesNs or encoded, or phases for queue, or sent for stream, or cache for cached',
    },
  )
  .refine((one) => one.sent !== undefined || (one.received !== undefined && one.verified !== undefined), {
    message: 'must say how many replies were received and verified',
  })
  .refine(({received = 0, ...one}) => received <= sentOf(one), {message: 'has more replies than requests'})
  .refine(({verified = 0, received = 0}) => verified <= received, {
    message: 'has more verified replies than replies',
  });

/** @typedef {z.infer<typeof result>} ProgramResult */

/**
 * @param {{samplesNs?: readonly number[] | undefined, encoded?: {samples: number} | undefined,
 *   phases?: {enqueue: {messages: number}} | undefined, sent?: number | undefined,
 *   cache?: {hitsNs: readonly number[], missesNs: readonly number[]} | undefined}} one
 * @returns {number} the requests or messages of the client, including requests that its cache answered
 */
export function sentOf({samplesNs: raw, encoded: histogram, phases, sent: oneWay, cache: cached}) {
  const requests = cached && cached.hitsNs.length + cached.missesNs.length;
  return raw?.length ?? histogram?.samples ?? phases?.enqueue.messages ?? oneWay ?? requests ?? 0;
}

/** Events that a program writes, by role and name. */
export const events = {
  server: {ready: serverReady, mark: marked, count: counted, error},
  client: {ready: clientReady, warm, measured, result, error},
};

/** All lines of both sides, for the JSON Schema. */
export const lines = {
  toServer,
  toClient,
  fromServer: z.union([serverReady, marked, counted, error]),
  fromClient: z.union([clientReady, warm, measured, result, error]),
};

/**
 * Checks an event of a program.
 * @template Event
 * @param {z.ZodType<Event>} schema @param {unknown} event @param {string} role for the message
 * @returns {Event} @throws {RunError} PB_ADAPTER, with the first field that the contract does not allow
 */
export function conforming(schema, event, role) {
  const {success, data, error: found} = schema.safeParse(event);
  if (success) return data;
  const [{path, message}] = found.issues;
  const {event: name, phase: part} = /** @type {{event?: string, phase?: string}} */ (event);
  const field = path.length > 0 ? `${path.join('.')}: ` : '';
  throw notAllowed(
    `The program of the ${role} wrote a ${part ?? name} event that the contract does not allow: ${field}${message}. See perf-battle help adapter-contract.`,
  );
}

/** Returns the error for a violation of the contract. @param {string} message */
export function notAllowed(message) {
  return new RunError(message, {code: 'PB_ADAPTER'});
}
