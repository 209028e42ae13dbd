/** PUB and HPUB of a client, MSG and HMSG of the server, after lines that have no payload. */
const message = /^(?:(?:PING|PONG|\+OK)\r\n)*H?(?:PUB|MSG) /;
const enoughBytes = 64;

/**
 * Whether a message begins in these bytes.
 * See https://docs.nats.io/reference/reference-protocols/nats-protocol.
 * @param {Buffer} bytes from the start of a line
 */
export function beginsMessage(bytes) {
  return message.test(bytes.toString('latin1', 0, enoughBytes));
}
