import {quantileSorted} from 'simple-statistics';

/** @import {TrialOutcome} from './types.js' */

/**
 * How far apart the cores of the roles were during trials. The hypervisor of a virtual machine may move its cores between processors that share a cache
 * and those that do not. Large messages then take several times as long, for seconds or minutes.
 */
export class CoreDistances {
  /** @type {number[]} */
  #known = [];

  /** @param {{awake?: {distance: () => Promise<number | null>} | undefined}} deps */
  constructor({awake}) {
    this.awake = awake;
  }

  async measure() {
    const ns = (await this.awake?.distance()) ?? null;
    if (ns !== null) this.#known.push(ns);
  }

  /** @param {TrialOutcome} outcome @returns {TrialOutcome} with the distances, if they are known */
  addTo(outcome) {
    if (this.#known.length === 0 || outcome.outcome === 'failed') return outcome;
    const sorted = this.#known.toSorted((one, other) => one - other);
    const [p10Ns, p50Ns, p90Ns] = [0.1, 0.5, 0.9].map((share) => quantileSorted(sorted, share));
    return {...outcome, coreDistance: {p10Ns, p50Ns, p90Ns}};
  }
}
