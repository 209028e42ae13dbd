/** @import {Interval} from './interval.js' */

/**
 * Every threshold by which a trial counts, a transport keeps up, or a figure is suspect. The warnings in docs/reading-results.md state them.
 */
export const thresholds = {
  /** Share of the time in which a role was ready to run and others kept it from running: a trial above it is disturbed and repeated. */
  lostShare: 0.1,
  /** Share of a host's CPU that other processes used during a trial whose roles are not pinned: above it, the trial is disturbed too. */
  trialForeignShare: 0.05,
  /** The same of two cells that were measured in turn: above it, their ratio is disturbed, too. */
  ratioForeignShare: 0.45,
  /** Share of a host's CPU that other processes use before a battle starts. */
  foreignShare: 0.1,
  /** With at least this many undisturbed trials, the disturbed ones do not count. */
  minUndisturbedTrials: 3,
  /** How many times as far apart the cores of two trials may be, if both trials are to count. */
  coreDistance: 2.5,
  /** The larger half of the interval of a mean, as a share of the mean. */
  wideShare: 0.1,
  /** By how much the second half of a trial is faster than the first, as a share, if the pair was cold. */
  coldShare: 0.05,
  /** By how much the last round differs from the first, as a share, if a battle drifts; and the share of false alarms among battles. */
  driftShare: 0.1,
  driftErrorRate: 0.02,
  /** The ratio of two cells below which no difference is said to be shown, as a share. */
  effectShare: 0.02,
  /**
   * The two-sided p-value up to which a rank test agrees with the interval of a ratio. The interval tells the direction, and in one direction it
   * is 5 %. Five rounds in pairs reach it, or three trials on each side.
   */
  rankTestP: 0.1,
  eventLoopShare: 0.95,
  /** The longest delay of an event loop as a share of a trial, on average over the trials. */
  stallShare: 0.05,
  /** Share of a trial that garbage collections paused a role, beyond that of the floor. Good runs have up to 0.07; Express with 1000 KB, and the heap as Node.js has it, 0.26. */
  gcShare: 0.15,
  minSamplesPerTrial: 10,
  /** Requests in flight by Little's law, as multiples of what the window allows. */
  littlesLaw: {min: 0.8, max: 1.02, minTrialMs: 200},
  /** The time of one reading of the clock, as a share of the mean time per message. */
  clockShare: 0.01,
  sendLagMs: 1,
  /** In an open loop, the share of the offered rate that must be achieved. */
  achievedShare: 0.97,
  /** In an open loop, the median send lag as a share of the run: if it is longer, the delay grows for as long as the run lasts. */
  lateShare: 0.01,
  /** From this share of what the link carries, the transport waits for the link. */
  linkShare: 0.9,
  /** A one-way latency between hosts is known if it is at least this multiple of the error bound of their clocks. */
  clockBounds: 5,
};

/**
 * What a ratio shows of the first cell. A difference is shown only if the interval excludes 1 and the ratio is at least the smallest effect
 * that counts. Intervals that overlap never show that two cells are the same.
 *
 * @param {{ratio: number, ci95: Interval | null}} ratio
 * @returns {Difference}
 *
 * @typedef {'slower' | 'faster' | 'no difference shown'} Difference
 */
export function verdictOfRatio({ratio, ci95}) {
  const effect = 1 + thresholds.effectShare;
  if (ci95 && ci95[0] > 1 && ratio >= effect) return 'slower';
  return ci95 && ci95[1] < 1 && ratio <= 1 / effect ? 'faster' : 'no difference shown';
}
