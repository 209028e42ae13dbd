/**
 * AMQP 0-9-1 on the wire: a frame has a type, a channel, the size of its content, the content and an end byte. See section 2.3.5 of its
 * specification, and for the numbers amqp0-9-1.xml: https://www.rabbitmq.com/resources/specs/amqp0-9-1.extended.xml
 */
const frameHeaderBytes = 7;
const frameEndBytes = 1;
const methodFrame = 1;
const basic = 60;
const publish = 40;
const deliver = 60;

/**
 * Whether a message begins in these bytes, after whole frames of other methods, such as an acknowledgement.
 * @param {Buffer} bytes from the start of a frame
 */
export function beginsMessage(bytes) {
  for (let at = 0; at + frameHeaderBytes + 4 <= bytes.length; ) {
    if (bytes[at] === methodFrame && bytes.readUInt16BE(at + frameHeaderBytes) === basic) {
      const method = bytes.readUInt16BE(at + frameHeaderBytes + 2);
      if (method === publish || method === deliver) return true;
    }
    at += frameHeaderBytes + bytes.readUInt32BE(at + 3) + frameEndBytes;
  }
  return false;
}
