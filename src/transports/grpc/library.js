import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {maxMessageOverhead} from './messages.js';

/** @import * as Library from '@grpc/grpc-js' */

/** The library of gRPC, which is no dependency of perf-battle. @type {typeof Library} */
export const library = requireOptional('@grpc/grpc-js', {by: 'gRPC', install: 'grpc'});

/** Options of channels and servers. By default a message of more than 4 MB is refused. */
export const messageLimits = {
  'grpc.max_receive_message_length': maxPayloadBytes + maxMessageOverhead,
  'grpc.max_send_message_length': maxPayloadBytes + maxMessageOverhead,
};

/** Where the methods of battle.proto are called. */
export const paths = {
  exchange: '/perfbattle.Battle/Exchange',
  exchangeParts: '/perfbattle.Battle/ExchangeParts',
  converse: '/perfbattle.Battle/Converse',
  send: '/perfbattle.Battle/Send',
};
