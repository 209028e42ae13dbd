import {spawn} from 'node:child_process';
import {connect, createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {Histogram} from '../../../src/stats/histogram.js';
import {FrameReader, writeFrame} from '../../../src/transports/tcp/frames.js';

/** @import {AddressInfo, Server, Socket} from 'node:net' */

/**
 * A program of --external that keeps the contract but for one fault, so that tests can show that each check finds its fault.
 *
 * node faulty.js FAULT server|client
 */
const [fault, role] = process.argv.slice(2);

/** `claims <base64url>`: what its events say instead, by their name. 'gone' is left out. @type {Record<string, object>} */
const claims = fault.startsWith('claims ')
  ? JSON.parse(String(Buffer.from(fault.slice('claims '.length), 'base64url')))
  : {};

/** What a sample in ns is multiplied by. */
const unit = {'in microseconds': 1e-3, 'in picoseconds': 1e3}[fault] ?? 1;

/** @param {string} name */
const has = (name) => fault === name;

/** @param {readonly number[]} samplesNs */
function encode(samplesNs) {
  const histogram = new Histogram();
  for (const sample of samplesNs) histogram.add(sample);
  return histogram.encode();
}

/** What is wrong with the result, by the fault. @type {Record<string, (result: any) => object>} */
const wrongResults = {
  'claiming an hour': ({samplesNs}) => ({samplesNs: samplesNs.map(() => 3.6e12)}),
  'faster than light': ({samplesNs}) => ({samplesNs: samplesNs.map(() => 1e-300)}),
  'giving up too often': () => ({timedOut: 99_999}),
  'corrupted beyond measure': ({received}) => ({corrupted: received + 1}),
  'encoding zeros': ({samplesNs}) => ({samplesNs: undefined, encoded: encode(samplesNs.map(() => 0))}),
  'encoding another mean': ({samplesNs}) => {
    const encoded = encode(samplesNs);
    return {samplesNs: undefined, encoded: {...encoded, meanMs: encoded.maxMs * 2}};
  },
  'encoding min above max': ({samplesNs}) => {
    const encoded = encode(samplesNs);
    return {samplesNs: undefined, encoded: {...encoded, minMs: encoded.maxMs, maxMs: encoded.minMs}};
  },
  'showing its password': () => ({mismatch: `it is ${JSON.stringify(options.broker)}`, corrupted: 1}),
};

/** What a terminal would act on: it clears the screen, changes the title, turns the text around. */
const escapes = '\u001b[2J\u009b31m\u001b]0;mine\u0007\u202e\u2028';

/** What it does when it is configured. @type {Record<string, () => void>} */
const misdeeds = {
  'without an end of line': () => {
    const part = Buffer.alloc(1024 ** 2, 'a');
    const more = () => void process.stdout.write(part, more);
    more();
  },
  'writing what nobody asked for': () => {
    const line = `${JSON.stringify({event: 'progress', phase: 'nonsense'})}\n`.repeat(10_000);
    const more = () => void process.stdout.write(line, more);
    more();
  },
  'leaving a child': () => void spawn('sleep', ['600'], {stdio: 'inherit', detached: true}),
  'leaving an orphan': () => void spawn('sh', ['-c', 'setsid sleep 600 &'], {stdio: 'inherit'}),
  'dying with a child': () => {
    spawn('sleep', ['600'], {stdio: 'inherit', detached: true});
    process.exit(7);
  },
  'failing in colours': () => fail(`broken${escapes}`),
  'dying in colours': () => {
    process.stderr.write(`the last words${escapes}\n`, () => process.exit(3));
  },
  'failing with its password': () => fail(`cannot log in: ${JSON.stringify(options.broker)}`),
  'dying with its password': () => {
    const {username, password} = options.broker;
    process.stderr.write(`amqp://${username}:${encodeURIComponent(password)}@x\n`, () => process.exit(3));
  },
};

/** @param {any} event */
function write(event) {
  const name = event.event === 'progress' ? event.phase : event.event;
  if (fault === `never ${name}`) return;
  if (fault === `stopping at ${name}`) process.kill(process.pid, 'SIGSTOP');
  if (fault === `stopping its role at ${name}`) process.kill(process.ppid, 'SIGSTOP');
  const wrong = name === 'result' ? wrongResults[fault]?.(event) : {};
  const line = JSON.stringify({...event, ...wrong, ...claims[name]}, (_, value) =>
    value === 'gone' ? undefined : value,
  );
  // JSON has no other infinite numbers.
  process.stdout.write(`${line.replace(/"(-?1e999)"/g, '$1')}\n`);
}

/** @type {any} */
let options = null;
let served = 0;
/** One-way messages since the last mark: their number, and when the first and the last came. */
let arrived = {messages: 0, firstAt: 0, lastAt: 0};
let discarded = 0;
/** @type {Server | null} */
let listener = null;
/** @type {Socket | null} */
let socket = null;
/** @type {((reply: Buffer | null) => void) | null} */
let waiting = null;

/** It ignores `stop`, the end of its input, and perhaps SIGTERM. */
const isDeaf = fault.startsWith('deaf');
if (has('deaf to signals')) process.on('SIGTERM', () => {});

const silence = isDeaf ? null : setTimeout(() => process.exit(0), has('impatient') ? 1000 : 5000);
createInterface({input: process.stdin})
  .on('line', (line) => {
    silence?.refresh();
    const message = JSON.parse(line);
    const act = /** @type {Record<string, () => unknown>} */ ({
      configure,
      mark,
      count: () => write({event: 'progress', phase: 'count', received: arrived.messages}),
      start: () => warmUp(),
      go: () => measure(),
      beat: () => {},
      stop: () => isDeaf || process.exit(has('abrupt') ? 1 : 0),
    })[message.type];
    if (message.type === 'configure' && !(has('forgetful') && options)) options = message.options;
    if (act) act();
    else if (has('strict')) fail(`what is ${message.type}?`);
  })
  .on('close', () => {
    if (!isDeaf) process.exit(0);
    setInterval(() => {}, 1000);
  });

/** @param {string} message */
function fail(message) {
  write({event: 'error', message});
  process.exit(1);
}

function configure() {
  if (has('chatty')) process.stderr.write(JSON.stringify(options));
  misdeeds[fault]?.();
  if (!['rtt', 'stream', 'cached', 'recordset'].includes(options.workload) && !has('eager'))
    fail('only rtt, stream, cached and recordset');
  if (role === 'server') serve();
  else if (socket === null) join();
  else ready();
}

/** @param {object} [more] */
function ready(more = {}) {
  const details = {
    'of endless details': {text: 'a'.repeat(20_000_000)},
    'coloured in details': {[`v${escapes}`]: `1${escapes}`},
    'with its password in details': Object.fromEntries(
      Object.entries(options.broker ?? {}).filter(([, value]) => typeof value !== 'object'),
    ),
  }[fault];
  write({
    event: 'ready',
    ...more,
    ...(details && {details}),
    ...(options.reply === 'increment' && {reply: 'increment'}),
  });
}

/** @param {Buffer} request @returns {Buffer} */
function replyTo(request) {
  if (options.workload === 'recordset') return Buffer.concat([request, encodeRows()]);
  return options.reply === 'increment' ? Buffer.from(request.map((byte) => byte + 1)) : request;
}

function serve() {
  const listening = () => {
    const {port} = /** @type {AddressInfo} */ (/** @type {Server} */ (listener).address());
    ready({address: has('silent about its address') ? undefined : `127.0.0.1:${port}`});
  };
  if (listener) return listening();
  let clients = 0;
  listener = createServer({noDelay: true}, (client) => {
    clients += 1;
    if (has('exclusive') && clients > 1) return client.destroy();
    const frames = new FrameReader((request) => {
      if (options.workload === 'stream' && request.length > 0) return take();
      served += has('miscounting') ? 2 : 1;
      writeFrame(client, replyTo(request));
    });
    client.on('data', (chunk) => frames.read(chunk)).on('error', () => {});
  }).listen(0, '127.0.0.1', listening);
}

let number = 0;

/** Counts a one-way message. */
function take() {
  number += 1;
  if (has('lossy') && number % 500 === 0) return;
  if (has('hasty')) setTimeout(countOne, 3000);
  else countOne();
}

function countOne() {
  arrived.lastAt = performance.now();
  if (arrived.messages === 0) arrived.firstAt = arrived.lastAt;
  arrived.messages += 1;
}

function join() {
  const [host, port] = options.servers[0].split(':');
  const opened = connect({host, port: Number(port), noDelay: true}, () => ready());
  const frames = new FrameReader((reply) => waiting?.(Buffer.from(reply)));
  opened.on('data', (chunk) => frames.read(chunk));
  opened.on('error', () => {});
  opened.on('close', () => (has('careless') ? waiting?.(null) : fail('the server is gone')));
  socket = opened;
}

function mark() {
  const {messages, firstAt, lastAt} = arrived;
  const now = performance.now();
  const per = has('with a clock in microseconds') ? 1000 : 1;
  const since = {sinceFirstMs: (now - firstAt) * per, sinceLastMs: (now - lastAt) * per};
  write({
    ...{event: 'progress', phase: 'mark', served},
    ...(messages > 0 && {arrived: {messages, corrupted: has('garbling') ? 1 : 0, ...since}}),
  });
  served = 0;
  arrived = {messages: 0, firstAt: 0, lastAt: 0};
}

async function warmUp() {
  discarded = 0;
  if (options.workload === 'stream') {
    for (const {samples} of options.warmUp) discarded += await sendOneWay(samples);
    return write({event: 'progress', phase: 'warm', sent: has('silent about its warm-up') ? 0 : discarded});
  }
  const exchangePart =
    options.workload === 'recordset'
      ? (/** @type {{samples: number}} */ {samples}) => askForRows(samples)
      : exchange;
  for (const part of options.warmUp) discarded += (await exchangePart(part)).samplesNs.length;
  write({event: 'progress', phase: 'warm'});
}

/** @param {number} count @returns {Promise<number>} */
async function sendOneWay(count) {
  const message = Buffer.alloc(options.payloadBytes, 'abcdefg');
  for (let index = 0; index < count; index += 1) if (socket) writeFrame(socket, message);
  return count;
}

async function measureOneWay() {
  const begin = performance.now();
  const sent = await sendOneWay(options.samples);
  if (options.closingCall) await exchangeOne(Buffer.alloc(0));
  const durationMs = has('without a duration') ? undefined : performance.now() - begin;
  write({event: 'progress', phase: 'measured', sent});
  write({event: 'result', sent, durationMs, discarded});
}

/** Requests of which a cache answers a share. */
async function measureCached() {
  /** @type {Map<number, Buffer | null>} */
  const cache = new Map();
  const request = Buffer.alloc(options.payloadBytes, 'abcdefg');
  const [hitsNs, missesNs] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  let corrupted = 0;
  for (let count = 0; count < options.samples; count += 1) {
    const isHit = Math.floor((count + 1) * options.hitRatio) > Math.floor(count * options.hitRatio);
    const key = isHit && !has('without hits') ? cache.size - 1 : cache.size;
    request.writeUInt32BE(key);
    const before = performance.now();
    const found = has('asking for hits') ? undefined : cache.get(key);
    const reply = found ?? (await exchangeOne(request));
    cache.set(key, reply);
    const isMiss = found === undefined && !(isHit && has('asking for hits'));
    (isMiss ? missesNs : hitsNs).push((performance.now() - before) * 1e6);
    if (!has('blind') && reply && !request.equals(reply)) corrupted += 1;
  }
  write({event: 'progress', phase: 'measured'});
  const received = options.samples;
  write({event: 'result', cache: {hitsNs, missesNs}, received, verified: received, corrupted, discarded});
}

/** Rows of equal length, with a number each. @returns {Buffer} */
function encodeRows() {
  const rows = Array.from({length: options.rows}, (_, index) => {
    const row = Buffer.alloc(Math.floor(options.payloadBytes / options.rows), 'abcdefg');
    row.writeUInt32BE(index);
    return row;
  });
  return Buffer.concat(rows);
}

/** @param {number} count */
async function askForRows(count) {
  const samplesNs = [];
  let [rows, corrupted] = [0, 0];
  for (let number = 0; number < count; number += 1) {
    const request = Buffer.alloc(4);
    request.writeUInt32BE(number);
    const before = performance.now();
    const reply = await exchangeOne(request);
    samplesNs.push((performance.now() - before) * 1e6);
    rows += has('skipping the last row') ? options.rows - 1 : options.rows;
    if (!has('blind') && reply && !replyTo(request).equals(reply)) corrupted += 1;
  }
  return {samplesNs, rows, corrupted};
}

async function measureRows() {
  const result = await askForRows(options.samples);
  write({event: 'progress', phase: 'measured'});
  const received = options.samples;
  const verified = has('unverified') ? 0 : received;
  write({event: 'result', ...result, received, verified, discarded});
}

async function measure() {
  if (options.workload === 'recordset') return await measureRows();
  if (options.workload === 'stream') return await measureOneWay();
  if (options.workload === 'cached') return await measureCached();
  const {samplesNs, corrupted} = await exchange(options);
  write({event: 'progress', phase: 'measured'});
  const received = samplesNs.length;
  write({
    event: 'result',
    samplesNs,
    received,
    verified: has('unverified') ? 0 : received,
    corrupted,
    discarded,
  });
}

/** @param {{payloadBytes: number, samples: number | null, durationMs: number | null}} part */
async function exchange({payloadBytes, samples, durationMs}) {
  const most = has('endless') && samples ? samples + 1 : (samples ?? Number.POSITIVE_INFINITY);
  const end = performance.now() + (durationMs ?? Number.POSITIVE_INFINITY);
  const samplesNs = [];
  let corrupted = 0;
  const request = Buffer.alloc(payloadBytes, 'abcdefg');
  while (samplesNs.length < most && performance.now() < end) {
    request.writeUInt32BE(samplesNs.length);
    const before = performance.now();
    const reply = await exchangeOne(request);
    if (has('slow')) await sleep(50);
    const ns = (performance.now() - before) * 1e6;
    samplesNs.push(Math.max(1, ns * unit));
    if (!has('blind') && reply && !replyTo(request).equals(reply)) corrupted += 1;
  }
  return {samplesNs, corrupted};
}

/** @param {Buffer} request @returns {Promise<Buffer | null>} null: the server is gone */
function exchangeOne(request) {
  return new Promise((resolve) => {
    if (socket?.destroyed) return setTimeout(() => resolve(null), 1);
    const timer = has('patient') ? null : setTimeout(() => fail('no reply in time'), options.timeoutMs);
    waiting = (reply) => {
      if (timer) clearTimeout(timer);
      resolve(reply);
    };
    if (socket) writeFrame(socket, request);
  });
}
