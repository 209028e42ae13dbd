/**
 * @import {Msg} from '@nats-io/transport-node'
 */

/**
 * The subjects that both ends of the NATS pair use, made from the subject that the user can set.
 * @param {{subject: string, pair?: string}} options pair: in a battle, the name of this pair of processes
 */
export function subjectsOf({subject, pair}) {
  return {
    requests: `${subject}.requests`,
    /** Every server answers here: a client asks whether there is one. */
    presence: `${subject}.presence`,
    queueGroup: 'servers',
    /** Pairs that run side by side have subscribers of their own. */
    broadcast: [subject, 'broadcast', pair].filter(Boolean).join('.'),
  };
}

/** The same bytes, not copied. @param {Pick<Msg, 'data'>} message */
export function bufferOf({data}) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
