import {channels} from './channels.js';
import {lists} from './lists.js';
import {streams} from './streams.js';

/** @import {Medium} from './medium.js' */

/** By the value of --redis-via. @satisfies {Record<string, Medium>} */
const media = {list: lists, stream: streams, pubsub: channels};

/** @param {{redisVia: keyof typeof media}} options @returns {Medium} */
export function mediumOf({redisVia}) {
  return media[redisVia];
}

/** The header of a message that expects no reply. */
export const oneWay = '';

/**
 * The header of a request. A reply has only the number.
 * @param {string} number
 * @param {string} replyTo the key of the replies of its client
 */
export function requestHeader(number, replyTo) {
  return `${number}:${replyTo}`;
}

/** @param {string} header of a request @returns {{number: string, replyTo: string}} */
export function readHeader(header) {
  const end = header.indexOf(':');
  return {number: header.slice(0, end), replyTo: header.slice(end + 1)};
}
