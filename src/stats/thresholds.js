/** @import {Interval} from './interval.js' */

/** Thresholds that decide whether a trial counts, a transport keeps up, or a figure is suspect. docs/reading-results.md states them. */
export const thresholds = {
  /** Share of the runnable time in which a role had no core because of others. Above this share, a trial is disturbed and repeated. */
  lostShare: 0.1,
  /** Share of a host's CPU that other processes used during a trial with unpinned roles. Above this share, the trial is disturbed, too. */
  trialForeignShare: 0.05,
  /** The same share for two cells that were measured in turn. Above this share, their ratio is disturbed, too. */
  ratioForeignShare: 0.45,
  /** Share of a host's CPU that other processes use before a battle starts. */
  foreignShare: 0.1,
  /** With at least this many undisturbed trials, disturbed trials do not count. */
  minUndisturbedTrials: 3,
  /**
   * The factor between two successive distances of cores, in sorted order, from which they are two states of a host. One state had factors of up to 2.0,
   * and the next state began at 2.4 times or more.
   */
  coreDistance: 2.25,
  /** With at least this many trials of each cell at one distance, the trials at other distances do not count. Fewer trials would widen intervals. */
  minTrialsAtOneDistance: 5,
  /** The larger half of the interval of a mean, as a share of the mean. */
  wideShare: 0.1,
  /** The share by which the second half of a trial is faster than the first if the pair was cold. */
  coldShare: 0.05,
  /** The share by which the last round differs from the first if a battle drifts; and the share of battles with a false alarm. */
  driftShare: 0.1,
  driftErrorRate: 0.02,
  /** The smallest difference of two cells that is shown, as a share. */
  effectShare: 0.02,
  /**
   * The two-sided p-value up to which a rank test agrees with the interval of a ratio. The interval gives the direction, so the one-sided
   * p-value is 5 %. Five paired rounds can reach it, or three trials on each side.
   */
  rankTestP: 0.1,
  eventLoopShare: 0.95,
  /** The longest delay of an event loop as a share of a trial, on average over the trials. */
  stallShare: 0.05,
  /** Share of a trial in which garbage collections paused a role, minus the share of the floor. Good runs have up to 0.07; Express with 1000 KB and the default heap of Node.js has 0.26. */
  gcShare: 0.15,
  minSamplesPerTrial: 10,
  /** Requests in flight by Little's law, as multiples of the window. */
  littlesLaw: {min: 0.8, max: 1.02, minTrialMs: 200},
  /** The time of one clock reading, as a share of the mean time per message. */
  clockShare: 0.01,
  sendLagMs: 1,
  /** The share of the offered rate that an open loop must achieve. */
  achievedShare: 0.97,
  /** The median send lag of an open loop as a share of the run. Above this share, the delay grows during the whole run. */
  lateShare: 0.01,
  /** From this share of the link's capacity on, the transport waits for the link. */
  linkShare: 0.9,
  /** A one-way latency between hosts is known if it is at least this multiple of the error bound of their clocks. */
  clockBounds: 5,
};

/**
 * Says what a ratio shows about the first cell. A difference is shown only if the interval excludes 1 and the ratio reaches the smallest effect
 * that counts. Overlapping intervals never show that two cells are equal.
 * @param {{ratio: number, ci95: Interval | null}} ratio @returns {Difference}
 *
 * @typedef {'slower' | 'faster' | 'no difference shown'} Difference
 */
export function verdictOfRatio({ratio, ci95}) {
  const effect = 1 + thresholds.effectShare;
  if (ci95 && ci95[0] > 1 && ratio >= effect) return 'slower';
  return ci95 && ci95[1] < 1 && ratio <= 1 / effect ? 'faster' : 'no difference shown';
}
