import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {open, unlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {findExecutable, findSetpriv, pathFolders} from '../brokers/programs.js';
import {RunError} from '../errors.js';
import {endInSteps} from '../hosts/child-process.js';

/**
 * @import {ChildProcess} from 'node:child_process'
 * @import {FileHandle} from 'node:fs/promises'
 */

/** The headers of link, IPv6 and TCP take up to 120 bytes; the rest contains the beginning of a message. */
const snapBytes = 192;
/** The kernel buffers packets that tcpdump has not read. */
const bufferKib = 16_384;
const readyWithinMs = 5000;
/** The kernel passes packets to tcpdump when a block is full, or after tcpdump's timeout of one second. */
const handedOverWithinMs = 1100;
const stopWithinMs = 5000;
const betweenAnswersMs = 20;

/**
 * Captures packets to and from TCP ports on all interfaces, each packet once on the loopback interface. It excludes
 * acknowledgements without data over IPv4. The capture ends with this process, and leaves no file.
 */
export class Capture {
  /** @param {ChildProcess} child @param {FileHandle} file */
  constructor(child, file) {
    this.child = child;
    this.file = file;
    this.said = '';
    this.ended = once(child, 'close').catch(() => {});
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.said += text;
    });
  }

  /** @param {readonly number[]} ports @throws {RunError} when a program is not installed, or has no right to capture */
  static async start(ports) {
    if (process.platform !== 'linux') throw new RunError("the broker's host does not run Linux");
    // setpriv cannot tie the life of a program to its parent if the program gets its rights from its file.
    if (process.getuid?.() !== 0) throw new RunError("tcpdump needs root's rights");
    const [program, setpriv] = [await findExecutable('tcpdump', pathFolders()), await findSetpriv()];
    if (program === null) throw new RunError('tcpdump is not installed');
    if (setpriv === null) throw new RunError('setpriv (util-linux) is not installed');
    const path = join(tmpdir(), `perf-battle-capture-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    // The process needs only the open file; a killed process leaves no file.
    await unlink(path);
    const command = ['--pdeathsig', 'KILL', program, ...optionsFor(ports)];
    const capture = new Capture(spawn(setpriv, command, {stdio: ['ignore', file.fd, 'pipe']}), file);
    await capture.#untilReady();
    return capture;
  }

  /** @throws {RunError} */
  async #untilReady() {
    const deadline = performance.now() + readyWithinMs;
    while (!/listening on/.test(this.said)) {
      if (!isRunning(this.child) || performance.now() > deadline) {
        await this.close();
        const reason = this.said
          .trim()
          .replace(/^tcpdump: /, '')
          .replace(/\s*\n/, ' ');
        throw new RunError(`tcpdump does not capture: ${reason || 'it said nothing'}`);
      }
      await sleep(5);
    }
  }

  /** Ends the capture. @returns {Promise<{lost: number}>} lost: packets that the kernel dropped */
  async stop() {
    await sleep(handedOverWithinMs);
    await this.#untilHandedOver();
    const interrupt = () => void this.child.kill('SIGINT');
    const kill = () => void this.child.kill('SIGKILL');
    await endInSteps(this.ended, [interrupt, kill], stopWithinMs);
    return {lost: this.#said('dropped by kernel').at(-1) ?? 0};
  }

  /** Waits until tcpdump has read all packets: SIGINT would discard the rest, and on a busy host tcpdump may run late. */
  async #untilHandedOver() {
    const deadline = performance.now() + stopWithinMs;
    let before = -1;
    for (;;) {
      const answers = this.#said('captured').length;
      this.child.kill('SIGUSR1');
      while (this.#said('captured').length === answers) {
        if (!isRunning(this.child) || performance.now() > deadline) return;
        await sleep(5);
      }
      const captured = this.#said('captured')[answers];
      if (captured === before) return;
      before = captured;
      await sleep(betweenAnswersMs);
    }
  }

  /** The numbers of packets in tcpdump's statistics so far. @param {string} what */
  #said(what) {
    const lines = this.said.matchAll(new RegExp(`(\\d+) packets? ${what}`, 'g'));
    return [...lines].map(([, packets]) => Number(packets));
  }

  /** @returns {AsyncIterable<Buffer>} the file that tcpdump has written */
  read() {
    return this.file.createReadStream({start: 0, autoClose: false, highWaterMark: 1 << 20});
  }

  async close() {
    this.child.kill('SIGKILL');
    await this.ended;
    await this.file.close();
  }
}

/** @param {ChildProcess} child */
function isRunning({exitCode, signalCode}) {
  return exitCode === null && signalCode === null;
}

/** @param {readonly number[]} ports */
function optionsFor(ports) {
  const named = ports.map((port) => `tcp port ${port}`).join(' or ');
  const hasData = '(ip[2:2] - ((ip[0] & 0xf) << 2)) - ((tcp[12] & 0xf0) >> 2) != 0';
  return [
    ...['-i', 'any', '-y', 'LINUX_SLL2', '-n', '-s', String(snapBytes), '-B', String(bufferKib)],
    ...['--time-stamp-precision=nano', '-w', '-'],
    // By default tcpdump becomes another user, and then no longer ends with its parent.
    ...['-Z', 'root'],
    `(${named}) and (ip6 or ${hasData})`,
  ];
}
