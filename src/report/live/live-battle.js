import {cpus} from 'node:os';
import {sum} from 'simple-statistics';
import {painter, widthOf} from '../terminal.js';
import {liveTable} from './live-table.js';
import {formatElapsed} from './progress-of-battle.js';
import {RedrawnLines} from './redrawn-lines.js';

/** @import {Progress} from './progress-of-battle.js' */

const drawEveryMs = 1000;

/** What a terminal shows of a battle while it runs. */
export class LiveBattle {
  #startedAt = performance.now();
  #cpu = new CpuUse();
  /** Of this host's CPU. @type {number | null} */
  #used = null;
  /** @type {readonly string[]} */
  #table = [];
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;

  /** @param {Progress} progress @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>} stream */
  constructor(progress, stream) {
    this.progress = progress;
    this.stream = stream;
    this.paint = painter(stream);
    this.lines = new RedrawnLines(stream);
  }

  onEvent() {
    const {progress, stream, paint, lines} = this;
    this.#ticking ??= setInterval(() => this.#tick(), drawEveryMs).unref();
    const room = lines.room - this.#heading().length;
    this.#table = liveTable(progress.state, {running: progress.current, width: widthOf(stream), room, paint});
    this.#draw();
  }

  clear() {
    this.lines.clear();
  }

  end() {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.clear();
  }

  /** Lays out no table, which would take CPU time from what is measured. */
  #tick() {
    this.#used = this.#cpu.sinceLast();
    this.#draw();
  }

  #draw() {
    this.lines.draw([...this.#heading(), ...this.#table]);
  }

  #heading() {
    const elapsed = `${formatElapsed(performance.now() - this.#startedAt)} so far`;
    const use = this.#used === null ? '' : `, ${Math.round(this.#used * 100)} % of this host's CPU in use`;
    return [this.progress.status().text, `${elapsed}${use}`, ''];
  }
}

/** The share of this host's CPU that all its processes used since the last question. */
export class CpuUse {
  /** @param {typeof cpus} [read] */
  constructor(read = cpus) {
    this.read = read;
    this.last = totals(read());
  }

  /** @returns {number | null} from 0 to 1; null: no time has passed */
  sinceLast() {
    const now = totals(this.read());
    const passed = now.all - this.last.all;
    const idle = now.idle - this.last.idle;
    if (passed <= 0) return null;
    this.last = now;
    return 1 - idle / passed;
  }
}

/** @param {ReturnType<typeof cpus>} cores */
function totals(cores) {
  return {
    all: sum(cores.flatMap(({times}) => Object.values(times))),
    idle: sum(cores.map(({times}) => times.idle)),
  };
}
