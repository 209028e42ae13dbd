/**
 * The workloads: what is sent when. Each names the capabilities of a transport that it needs.
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {readonly string[]} needs capabilities
 * @property {() => Promise<(context: WorkloadContext) => Promise<WorkloadResult>>} load
 *
 * @typedef {object} WorkloadContext what a client role hands to a workload
 * @property {{client: import('../transports/index.js').Client, renew(): Promise<void>}} connection
 *   renew: closes the client and connects anew
 * @property {import('../payload/ring.js').PayloadRing} ring
 * @property {import('../options/common.js').WarmUp} warmUp
 * @property {number | null} samples stop after so many
 * @property {number | null} durationMs stop after so long
 * @property {number} timeoutMs of one request
 * @property {AbortSignal} signal
 * @property {(phase: 'measuring' | 'measured') => void} onPhase
 *
 * @typedef {object} WorkloadResult
 * @property {import('../stats/histogram.js').Histogram} histogram round-trip times in ns
 * @property {Counts} counts
 * @property {{warm: boolean, discarded: number}} warmUp
 * @property {import('../measure/usage.js').Usage} usage of the client over the measured part
 *
 * @typedef {object} Counts sent = received + lost
 * @property {number} sent
 * @property {number} received
 * @property {number} lost
 * @property {number} verified replies whose every byte was compared
 * @property {number} duplicated
 * @property {number} retried
 * @property {number} timedOut
 */

/** @type {Readonly<Record<string, Workload>>} */
export const workloads = {
  rtt: {name: 'rtt', needs: ['request'], load: async () => (await import('./rtt.js')).measureRoundTrips},
};
