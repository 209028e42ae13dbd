/**
 * @import {Msg} from '@nats-io/transport-node'
 */

/**
 * The subjects that both ends of the NATS pair use, made from the subject that the user can set.
 * @param {{subject: string}} options
 */
export function subjectsOf({subject}) {
  return {
    requests: `${subject}.requests`,
    /** Every server answers here: a client asks whether there is one. */
    presence: `${subject}.presence`,
    queueGroup: 'servers',
    broadcast: `${subject}.broadcast`,
  };
}

/** The same bytes, not copied. @param {Pick<Msg, 'data'>} message */
export function bufferOf({data}) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
