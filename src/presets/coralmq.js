import {automaticWarmUp} from '../measure/warm-up.js';
import {preset} from './preset.js';

const gigabit = 1e9;
const messageBytes = 256;

/**
 * The text says that a packet of 256 bytes takes at least 382 ns from card to card at 10 Gbit/s, and 3.82 µs at 1 Gbit/s, without a formula.
 * Real headers do not explain these figures. Both directions without headers, with a gigabit of 2^30 bits, rounded up, give exactly these
 * figures. All other figures of the text count both directions, too.
 */
export const wireOfText = {bytes: 2 * messageBytes, bitsPerGigabit: 2 ** 30};

export const coralmq = preset({
  name: 'coralmq',
  document: 'coralmq-numbers',
  summary:
    'A million round trips of 256 bytes on one host, one after the other: the mean and the maximum of the fastest 75 to 99.999 percent.',
  differs: [
    'CoralMQ sends UDP packets between two Java processes, and the queue itself is one of them. TCP, HTTP, WebSocket and UDP also have two processes. RabbitMQ has three, because the broker is between client and server.',
    'CoralMQ is closed source. The transport udp has the design that can be measured without it: numbered packets, several messages in one, and retransmission. Here each request and each reply has a packet of its own, as in the published run.',
    'Node.js runs an event loop and waits for the kernel, so it cannot reach a few microseconds. Compare the shape of the bands, not their values.',
    'The text does not define its bands. Their means are below the mean of all messages, so a band is taken as the fastest messages up to that percentage: their mean and their maximum.',
    'The text has a run for its latencies and another one for its throughput, which is 1 divided by the mean round-trip time. Here each round is such a run, with fresh processes, and both figures are over all rounds.',
    'The text mentions no warm-up. Here each trial has one, and its round trips do not count.',
  ],
  notesOn: (sizes) => [
    `The figures are of one host. For a network, the text adds at least ${wireTimes(wireOfText.bytes, wireOfText.bitsPerGigabit)} for a message of ${messageBytes} bytes. These are the times of twice ${messageBytes} bytes without headers and with a gigabit of 2^30 bits, rounded up.`,
    ...sizes.map(wireNote),
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['tcp', 'udp', 'http', 'websocket', 'rabbitmq'],
    serverLibrary: ['express'],
    payloadBytes: [messageBytes],
    answer: ['echo'],
    deliveryMode: [1],
    rounds: 2,
  },
  lengthOf: () => ({samples: 1_000_000, warmUp: automaticWarmUp}),
  comparison: {figure: 'bands', what: 'RTT', isShown: () => true},
});

/** @param {number} payloadBytes */
function wireNote(payloadBytes) {
  const bytes = bytesOnWire(payloadBytes);
  return `With the headers of UDP, IPv4 and Ethernet, ${headerBytes} bytes in each frame, a message of ${payloadBytes} bytes has ${bytes} bytes on the wire. They take at least ${wireTimes(bytes, gigabit)}. A round trip takes this time twice.`;
}

/** @param {number} bytes @param {number} bitsPerGigabit */
function wireTimes(bytes, bitsPerGigabit) {
  const [one, ten] = [1, 10].map((gigabits) => formatUp(wireTimeNs(bytes, gigabits * bitsPerGigabit)));
  return `${one} at 1 Gbit/s and ${ten} at 10 Gbit/s`;
}

/** Rounds a lower bound up, to three digits. @param {number} ns */
function formatUp(ns) {
  const unit = 10 ** (Math.floor(Math.log10(ns)) - 2);
  const up = Math.ceil(ns / unit) * unit;
  return up < 1000 ? `${up.toPrecision(3)} ns` : `${(up / 1000).toPrecision(3)} µs`;
}

/**
 * The time of a message on an Ethernet link. The link carries one bit after the other, so the network adds at least this time to the figures of
 * one host. Switches, cables and network cards add more.
 */

/** The maximum of payload bytes in an Ethernet frame, over IPv4 and UDP. */
const mostPerFrame = 1472;
/** IPv4: 20, UDP: 8. */
const packetHeaderBytes = 28;
/** Preamble: 8, header: 14, checksum: 4, gap before the next frame: 12. */
const frameOverheadBytes = 38;
/** Shorter content is padded. */
const leastContentBytes = 46;

const headerBytes = packetHeaderBytes + frameOverheadBytes;

/** @param {number} payloadBytes size of a message over UDP @returns {number} bytes on the wire */
export function bytesOnWire(payloadBytes) {
  const frames = Math.max(1, Math.ceil(payloadBytes / mostPerFrame));
  const content = Math.max(leastContentBytes, payloadBytes + frames * packetHeaderBytes);
  return content + frames * frameOverheadBytes;
}

/** @param {number} bytes bytes on the wire @param {number} bitsPerSecond @returns {number} ns */
export function wireTimeNs(bytes, bitsPerSecond) {
  return (bytes * 8 * 1e9) / bitsPerSecond;
}
