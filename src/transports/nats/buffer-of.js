/** @import {Msg} from '@nats-io/transport-node' */

/** The same bytes, not copied. @param {Msg} message */
export function bufferOf({data}) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
