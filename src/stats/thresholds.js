/**
 * Every threshold by which a trial counts, a transport keeps up, or a figure is suspect. The warnings in docs/method.md state them.
 */
export const thresholds = {
  /** Share of the time in which a role was ready to run and others kept it from running: a trial above it is disturbed and repeated. */
  lostShare: 0.1,
  /** Share of a host's CPU that the hypervisor took. */
  stealShare: 0.02,
  /** With at least this many undisturbed trials, the disturbed ones do not count. */
  minUndisturbedTrials: 3,
  /** Share of a host's CPU that other processes used. */
  foreignShare: 0.1,
  eventLoopShare: 0.95,
  /** Standard deviation of the trial means, as a share of their mean. */
  trialSpread: 0.1,
  /** Rank correlation of the trial means with the round, and the trials that it needs. */
  driftCorrelation: 0.9,
  minDriftTrials: 5,
  minTrials: 3,
  minSamples: 1000,
  /** The ratio of two cells below which no difference is said to be shown, as a share. */
  effectShare: 0.02,
  /** Requests in flight by Little's law, as a multiple of what the window allows. */
  littlesLaw: 1.02,
  sendLagMs: 1,
  /** In an open loop, the share of the offered rate that must be achieved. */
  achievedShare: 0.97,
  /** In an open loop, the median send lag as a share of the run: if it is longer, the delay grows for as long as the run lasts. */
  lateShare: 0.01,
  /** A one-way latency between hosts is known if it is at least this multiple of the error bound of their clocks. */
  clockBounds: 5,
};
