/** Each threshold in one place; the method page states them. */
export const thresholds = {
  stealShare: 0.02,
  foreignShare: 0.1,
  eventLoopShare: 0.95,
  trialSpread: 0.1,
  drift: 0.9,
  fewestTrials: 3,
  fewestSamples: 1000,
  littlesLaw: 1.02,
  sendLagMs: 1,
};

/** Clock sources that are read without entering the kernel, or nearly so. */
export const goodClocks = ['tsc', 'kvm-clock', 'arch_sys_counter', 'hyperv_clocksource_tsc_page', 'xen'];

/** A share as messages print it. @param {number} share */
export function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
