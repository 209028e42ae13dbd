import {createServer} from 'node:net';
import {listenHere} from '../integration/support/listen.js';

/** @import {Socket} from 'node:net' */

/**
 * Programs that answer at a broker's port, and misbehave. Each kind of broker has its own; some of them speak no protocol of any.
 * @typedef {(socket: Socket) => void} Misbehaviour
 */

/** @param {string} text @returns {Buffer} a short string of AMQP */
function short(text) {
  return Buffer.from([text.length, ...Buffer.from(text)]);
}

/** @param {string} text @returns {Buffer} a long string of AMQP */
function long(text) {
  return Buffer.concat([number(text.length, 4), Buffer.from(text)]);
}

/** @param {number} value @param {number} bytes @returns {Buffer} */
function number(value, bytes) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

/** @param {number} type @param {number} channel @param {Buffer} content */
function frame(type, channel, content) {
  return Buffer.concat([
    number(type, 1),
    number(channel, 2),
    number(content.length, 4),
    content,
    Buffer.from([0xce]),
  ]);
}

/** @param {number} channel @param {[number, number]} method @param {Buffer[]} fields */
function method(channel, [classId, methodId], ...fields) {
  return frame(1, channel, Buffer.concat([number(classId, 2), number(methodId, 2), ...fields]));
}

const noTable = number(0, 4);
const start = method(0, [10, 10], Buffer.from([0, 9]), noTable, long('PLAIN AMQPLAIN'), long('en_US'));
const tune = method(0, [10, 30], number(2047, 2), number(131_072, 4), number(60, 2));
const openOk = method(0, [10, 41], short(''));
const closeOk = method(0, [10, 51]);
const gigabytes = 10 * 1024 ** 3;

/** What a well-behaved broker answers, by class and method. @type {Record<string, (channel: number) => Buffer>} */
const answers = {
  10.11: () => tune,
  '10.40': () => openOk,
  '10.50': () => closeOk,
  '20.10': (channel) => method(channel, [20, 11], long('')),
  '20.40': (channel) => method(channel, [20, 41]),
  '85.10': (channel) => method(channel, [85, 11]),
  '40.10': (channel) => method(channel, [40, 11]),
  '40.20': (channel) => method(channel, [40, 21]),
  '50.10': (channel) => method(channel, [50, 11], short('queue'), number(0, 4), number(1, 4)),
  '50.20': (channel) => method(channel, [50, 21]),
  '50.40': (channel) => method(channel, [50, 41], number(0, 4)),
  '60.10': (channel) => method(channel, [60, 11]),
  '60.20': (channel) => method(channel, [60, 21], short('consumer')),
  '60.30': (channel) => method(channel, [60, 31], short('consumer')),
};

/** A message to the only consumer. */
const delivery = method(
  1,
  [60, 60],
  ...[short('consumer'), number(1, 8), number(0, 1), short(''), short('request')],
);

/**
 * Behaves well, but for what it is told to do instead of an answer.
 * @param {Record<string, (socket: Socket, answer: Buffer) => void>} instead by class and method of the question
 * @returns {Misbehaviour}
 */
function amqp(instead) {
  return (socket) => {
    let rest = Buffer.alloc(0);
    let isGreeted = false;
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      if (!isGreeted && rest.length >= 8) {
        isGreeted = true;
        rest = rest.subarray(8);
        respond(socket, instead['0.0'], start);
      }
      while (isGreeted && rest.length >= 7 && rest.length >= 8 + rest.readUInt32BE(3)) {
        const size = rest.readUInt32BE(3);
        const isMethod = rest[0] === 1 && size >= 4;
        const question = isMethod ? `${rest.readUInt16BE(7)}.${rest.readUInt16BE(9)}` : '';
        const channel = rest.readUInt16BE(1);
        rest = rest.subarray(8 + size);
        const answer = answers[question]?.(channel);
        if (answer) respond(socket, instead[question], answer);
      }
    });
  };
}

/** @param {Socket} socket @param {((socket: Socket, answer: Buffer) => void) | undefined} instead @param {Buffer} answer */
function respond(socket, instead, answer) {
  if (instead) instead(socket, answer);
  else socket.write(answer);
}

const silence = () => {};
const tooLong = Buffer.concat([Buffer.from([1, 0, 0, 0x03, 0, 0, 0]), Buffer.alloc(64 * 1024)]);
const garbage = Buffer.alloc(4096, 0xff);
const unknownMethod = method(0, [99, 99]);

/** @param {Buffer | string} more @returns {(socket: Socket, answer: Buffer) => void} */
function answerAnd(more) {
  return (socket, answer) => socket.write(Buffer.concat([answer, Buffer.from(more)]));
}

/** @param {Buffer | string} first @param {Buffer | string} then again and again @returns {(socket: Socket, answer: Buffer | string) => void} */
function answerAndNeverEnd(first, then) {
  return (socket, answer) => {
    const more = () => {
      while (!socket.destroyed && socket.write(then));
    };
    socket.on('drain', more);
    socket.write(answer);
    socket.write(first);
    more();
  };
}

/** @type {Record<string, Misbehaviour>} */
export const ofAnyKind = {
  'says nothing': (socket) => void socket.resume(),
  'reads nothing': (socket) => void socket.pause(),
  'hangs up': (socket) => void socket.end(),
  'speaks HTTP': (socket) =>
    void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
  'greets like SMTP': (socket) => void socket.write('220 mail.example.org ESMTP ready\r\n'),
  'sends noise': (socket) => answerAndNeverEnd('', Buffer.alloc(64 * 1024, 0x41))(socket, ''),
};

/** @type {Record<string, Misbehaviour>} */
const ofRabbitmq = {
  'is silent after start': amqp({10.11: silence}),
  'is silent after tune': amqp({'10.40': silence}),
  'is silent after open-ok': amqp({'20.10': silence}),
  'is silent after open-ok, but beats': amqp({'20.10': answerAndNeverEndBeats}),
  'does not declare': amqp({'40.10': silence, '50.10': silence}),
  'does not close': amqp({'10.50': silence}),
  'closes and keeps the connection': amqp({'10.50': answerAnd('')}),
  'sends a frame that is too long': amqp({'10.40': answerAnd(tooLong)}),
  'sends garbage after open-ok': amqp({'10.40': answerAnd(garbage)}),
  'sends an unknown method after open-ok': amqp({'10.40': answerAnd(unknownMethod)}),
  'sends garbage instead of a channel': amqp({'20.10': (socket) => void socket.write(garbage)}),
  'sends garbage to a consumer': amqp({'60.20': answerAnd(garbage)}),
  'announces a message of 10 GB to a consumer': amqp({
    '60.20': answerAndNeverEnd(
      Buffer.concat([
        delivery,
        frame(2, 1, Buffer.concat([number(60, 2), number(0, 2), number(gigabytes, 8), number(0, 2)])),
      ]),
      frame(3, 1, Buffer.alloc(64 * 1024)),
    ),
  }),
};

/** @param {Socket} socket */
function answerAndNeverEndBeats(socket) {
  const timer = setInterval(() => socket.write(frame(8, 0, Buffer.alloc(0))), 100);
  socket.once('close', () => clearInterval(timer));
}

/** @param {number} maxPayload */
const info = (maxPayload = 1024 ** 2) =>
  `INFO ${JSON.stringify({server_id: 'X', version: '2.10.0', headers: true, max_payload: maxPayload, proto: 1})}\r\n`;

/**
 * Greets, and answers pings, but for what it is told to do instead of its first answer.
 * @param {(socket: Socket, answer: string) => void} instead
 * @returns {Misbehaviour}
 */
function natsServer(instead) {
  return (socket) => {
    socket.write(info());
    let isFirst = true;
    socket.on('data', (bytes) => {
      if (!String(bytes).includes('PING')) return;
      if (isFirst) instead(socket, 'PONG\r\n');
      else socket.write('PONG\r\n');
      isFirst = false;
    });
  };
}

/** @type {Record<string, Misbehaviour>} */
const ofNats = {
  'is silent after INFO': natsServer(silence),
  'is silent after PONG': (socket) => {
    socket.write(info());
    socket.once('data', () => socket.write('PONG\r\n'));
  },
  'announces a message of 10 GB': natsServer(
    answerAndNeverEnd(`MSG x 1 ${gigabytes}\r\n`, Buffer.alloc(64 * 1024)),
  ),
  'announces a message of 10 GB before PONG': natsServer((socket) =>
    answerAndNeverEnd(`MSG x 1 ${gigabytes}\r\n`, Buffer.alloc(64 * 1024))(socket, ''),
  ),
  'pings without an end': natsServer(answerAndNeverEnd('', 'PING\r\n'.repeat(4096))),
  'pings without an end, and does not read': (socket) => {
    socket.write(info());
    socket.once('data', () => {
      socket.pause();
      answerAndNeverEnd('', 'PING\r\n'.repeat(4096))(socket, '');
    });
  },
  'sends garbage after PONG': natsServer(
    (socket, answer) => void socket.write(`${answer}\x01\x02garbage\r\n`),
  ),
  'sends garbage without an end': natsServer(answerAndNeverEnd('', Buffer.alloc(64 * 1024, 0xff))),
  'sends a line without an end': natsServer(answerAndNeverEnd('MSG ', Buffer.alloc(64 * 1024, 0x41))),
  'sends an INFO without an end': (socket) =>
    answerAndNeverEnd('INFO {"a":"', Buffer.alloc(64 * 1024, 0x41))(socket, ''),
  'sends an INFO that is no JSON': (socket) => void socket.write('INFO {"a":\r\n'),
};

/**
 * Answers the first commands, the library's greeting, as a server without users does; then what it is told.
 * @param {(socket: Socket, answer: string) => void} then
 * @returns {Misbehaviour}
 */
function redisServer(then) {
  return (socket) => {
    let isFirst = true;
    socket.on('data', () => {
      if (isFirst) socket.write('+OK\r\n');
      else then(socket, '+PONG\r\n');
      isFirst = false;
    });
  };
}

/** @type {Record<string, Misbehaviour>} */
const ofRedis = {
  'is silent after its first answer': redisServer(silence),
  'announces an answer of 10 GB': redisServer((socket) =>
    answerAndNeverEnd(`$${gigabytes}\r\n`, Buffer.alloc(64 * 1024))(socket, ''),
  ),
  'announces an array of 10 GB': redisServer((socket) =>
    answerAndNeverEnd('*4294967295\r\n', '$-1\r\n'.repeat(4096))(socket, ''),
  ),
  'nests arrays without an end': redisServer((socket) =>
    answerAndNeverEnd('', '*1\r\n'.repeat(4096))(socket, ''),
  ),
  'sends a line without an end': redisServer((socket) =>
    answerAndNeverEnd('+', Buffer.alloc(64 * 1024, 0x41))(socket, ''),
  ),
  'sends garbage after its first answer': redisServer((socket) => void socket.write('\x01\x02garbage\r\n')),
};

/** CONNACK of MQTT 5: no session, success, no properties. */
const connack = Buffer.from([0x20, 3, 0, 0, 0]);
/** PUBLISH with the largest length that MQTT knows: 256 MB. */
const longestPublish = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);

/** Answers CONNECT. @param {(socket: Socket, answer: Buffer) => void} then @returns {Misbehaviour} */
function mqttBroker(then) {
  return (socket) => {
    socket.once('data', () => then(socket, connack));
    socket.resume();
  };
}

/** @type {Record<string, Misbehaviour>} */
const ofMosquitto = {
  'is silent after CONNACK': mqttBroker((socket, answer) => void socket.write(answer)),
  'announces a packet of 256 MB before CONNACK': mqttBroker((socket) =>
    answerAndNeverEnd(longestPublish, Buffer.alloc(64 * 1024))(socket, ''),
  ),
  'sends garbage instead of CONNACK': mqttBroker((socket) => void socket.write(garbage)),
  'sends a CONNACK without an end': mqttBroker((socket) =>
    answerAndNeverEnd(Buffer.from([0x20, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(64 * 1024))(socket, ''),
  ),
};

/**
 * Answers the first request, which asks for the interfaces of the broker.
 * @param {(socket: Socket, requestNumber: Buffer) => void} then
 * @returns {Misbehaviour}
 */
function kafkaBroker(then) {
  return (socket) => {
    socket.once('data', (request) => then(socket, request.subarray(8, 12)));
    socket.resume();
  };
}

/** @param {Buffer[]} parts @returns {Buffer} an answer of Kafka */
function kafkaAnswer(...parts) {
  const content = Buffer.concat(parts);
  return Buffer.concat([number(content.length, 4), content]);
}

const noError = number(0, 2);

/** @type {Record<string, Misbehaviour>} */
const ofKafka = {
  'announces an answer of 2 GB': kafkaBroker((socket) =>
    answerAndNeverEnd(number(0x7fff_ffff, 4), Buffer.alloc(64 * 1024))(socket, ''),
  ),
  'sends an answer without an end': kafkaBroker((socket) =>
    answerAndNeverEnd(number(15 * 1024 ** 2, 4), Buffer.alloc(64 * 1024))(socket, ''),
  ),
  'has 4 billion interfaces': kafkaBroker((socket, requestNumber) => {
    const length = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]);
    socket.write(kafkaAnswer(requestNumber, noError, length, Buffer.alloc(1000)));
  }),
  'has no interfaces': kafkaBroker((socket, requestNumber) => {
    socket.write(kafkaAnswer(requestNumber, noError, Buffer.from([1]), number(0, 4), Buffer.from([0])));
  }),
  'answers what it was not asked': kafkaBroker((socket) => {
    socket.write(kafkaAnswer(number(12_345, 4), noError));
  }),
};

/** The header of SASL, before AMQP 1.0. */
const saslHeader = Buffer.from('AMQP\u0003\u0001\u0000\u0000', 'latin1');

/** Answers the first bytes of a client with the same header. @param {(socket: Socket) => void} then @returns {Misbehaviour} */
function amqp1Broker(then) {
  return (socket) => {
    socket.once('data', () => {
      socket.write(saslHeader);
      then(socket);
    });
    socket.resume();
  };
}

/** @type {Record<string, Misbehaviour>} */
const ofArtemis = {
  'is silent after its header': amqp1Broker(() => {}),
  'sends garbage after its header': amqp1Broker((socket) => void socket.write(garbage)),
  'announces a frame of 2 GB': amqp1Broker((socket) =>
    answerAndNeverEnd(
      Buffer.concat([number(0x7fff_ffff, 4), Buffer.from([2, 1, 0, 0])]),
      Buffer.alloc(64 * 1024),
    )(socket, ''),
  ),
  'has the header of AMQP 0-9-1': (socket) => {
    socket.once('data', () => socket.write(Buffer.from('AMQP\u0000\u0000\u0009\u0001', 'latin1')));
    socket.resume();
  },
};

/** By the name of the kind of broker. @type {Record<string, Record<string, Misbehaviour>>} */
export const misbehaviours = {
  rabbitmq: {...ofAnyKind, ...ofRabbitmq},
  artemis: {...ofAnyKind, ...ofArtemis},
  nats: {...ofAnyKind, ...ofNats},
  redis: {...ofAnyKind, ...ofRedis},
  mosquitto: {...ofAnyKind, ...ofMosquitto},
  kafka: {...ofAnyKind, ...ofKafka},
};

/**
 * @param {string} kind
 * @param {string} what it does
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startHostileBroker(kind, what) {
  return listenHere(createServer({allowHalfOpen: true}, misbehaviours[kind][what]));
}

/** One of AMQP that grants whatever it is asked for, and keeps nothing. */
export function startGrantingBroker() {
  return listenHere(createServer(amqp({})));
}

/** What behaves well in the greeting: these are noticed when they are used. */
export const passesGreeting = new Set([
  'is silent after CONNACK',
  'does not declare',
  'does not close',
  'closes and keeps the connection',
  'sends garbage to a consumer',
  'announces a message of 10 GB to a consumer',
]);
