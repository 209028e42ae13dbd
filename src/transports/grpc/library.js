import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {maxMessageOverhead} from './messages.js';

/** @import * as Library from '@grpc/grpc-js' */

/** @type {typeof Library} */
export const library = requireOptional('@grpc/grpc-js', {by: 'gRPC', install: 'grpc'});

/** Options of channels and servers. By default, the library refuses messages of more than 4 MB. */
export const messageLimits = {
  'grpc.max_receive_message_length': maxPayloadBytes + maxMessageOverhead,
  'grpc.max_send_message_length': maxPayloadBytes + maxMessageOverhead,
};
