import {z} from 'zod';
import {milliseconds} from './measures.js';

/** A trial of a record: the measured part of one round. */
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
  slices: z
    .number()
    .int()
    .nullable()
    .default(null)
    .describe(
      'in how many slices it was measured, in turn with the trials of other cells; null: in one piece',
    ),
  floorMs: milliseconds
    .nullable()
    .default(null)
    .describe(
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
  retransmissions: z
    .number()
    .int()
    .nullable()
    .default(null)
    .describe(
      'datagrams that the clients and servers of UDP sent again while it was measured; null for a transport that leaves that to TCP',
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
});
