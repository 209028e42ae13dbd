import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';

/**
 * @import {ChannelModel} from 'amqplib'
 * @import {EventEmitter} from 'node:events'
 */

/**
 * amqplib reads what follows `open-ok` before it hands its connection over, so before anybody can listen to its errors: an error of that moment would
 * be thrown, and its promise would never settle. amqplib exports no class of connections. So its own file is loaded.
 */
const require = createRequire(import.meta.url);
/** @type {{Connection: {prototype: EventEmitter & {open(fields: unknown, onOpen: unknown): void}}}} */
const {Connection} = require(join(dirname(require.resolve('amqplib')), 'lib', 'connection.js'));

/** @type {WeakMap<object, Error>} */
const firstErrors = new WeakMap();

const {open} = Connection.prototype;
Connection.prototype.open = function (/** @type {unknown} */ fields, /** @type {unknown} */ onOpen) {
  this.on('error', (/** @type {Error} */ error) => {
    if (!firstErrors.has(this)) firstErrors.set(this, error);
  });
  open.call(this, fields, onOpen);
};

/**
 * The first error of a connection, also one from before it was handed over. What came of it later, such as a question without an answer, says less.
 * @param {ChannelModel} model
 * @returns {Error | null}
 */
export function firstErrorOf({connection}) {
  return firstErrors.get(connection) ?? null;
}
