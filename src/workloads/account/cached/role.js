import {outcomes} from '../../../measure/message-log.js';
import {isRight, MessageCheck} from '../../../payload/message-check.js';
import {randomSource} from '../../../payload/random.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {loadCache} from '../../cached/client.js';
import {CachedReplies, HitMix} from '../../cached/requests.js';
import {sendSteadily} from '../steady-load.js';

/**
 * @import {Answer} from '../../../payload/message-check.js'
 * @import {WorkloadContext, WorkloadResult, WorkloadRole} from '../../workload.js'
 * @import {CacheName} from '../../cached/requests.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

/** @typedef {SteadySettings & {hitRatio: number, cacheIn: CacheName, seed: number}} CachedSettings */

/** A steady load of requests through a cache of the client, which answers some of them. @satisfies {WorkloadRole<CachedSettings & {answer: Answer}>} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: ({window}) => window,
  client: async () => requestCachedSteadily,
  server: async () => (await import('../../answer-server.js')).makeAnswerHandler,
};

/**
 * The requests of the cache's user count, hits included. A hit needs no connection. A miss that cannot be sent holds up the requests after it.
 * @param {WorkloadContext<CachedSettings>} context @returns {Promise<WorkloadResult>}
 */
export async function requestCachedSteadily(context) {
  const {ring, options} = context;
  const replies = new CachedReplies(ring.payloadBytes, await loadCache(options.cacheIn));
  const check = new MessageCheck(ring, {answer: 'echo', every: 1});
  const random = randomSource(options.seed, 'cache under faults');
  const mix = new HitMix(options.hitRatio, random);
  /** The first message that must be sent: it is no hit when it is asked for again. */
  let miss = -1;
  const answersItself = (/** @type {number} */ sequence) => {
    if (sequence === miss) return null;
    if (replies.isEmpty || !mix.next()) {
      miss = sequence;
      return null;
    }
    const number = replies.pick(random());
    const reply = replies.cache.get(replies.keyOf(number));
    return reply && isRight(check, reply, number) ? outcomes.taken : outcomes.refused;
  };
  try {
    return await sendSteadily(context, (client) => ({
      send: (payload, {taken, refused, failed}) => {
        const number = sequenceOf(payload);
        client.ask(payload, {
          resolve: (reply) => {
            if (!isRight(check, reply, number)) return refused();
            const key = replies.keyOf(number);
            replies.cache.set(key, Buffer.from(reply));
            replies.note(key, number);
            taken();
          },
          reject: failed,
          onChunk: null,
        });
        return true;
      },
      drained: async () => {},
      settles: true,
      answersItself,
    }));
  } finally {
    replies.cache.close();
  }
}
