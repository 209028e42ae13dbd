import {cpus} from 'node:os';
import {sum} from 'simple-statistics';

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
