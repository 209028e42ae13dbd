/**
 * The time by which cells are compared: the mean latency, or for a workload whose figure is the rate, the time per message. Less is better.
 *
 * @param {{comparedBy: 'latency' | 'rate', rtt: {meanMs: number | null, ci95Ms: [number, number] | null} | null,
 *   throughput: {messagesPerSecond: number, ci95MessagesPerSecond: [number, number] | null}}} figures
 * @returns {{meanMs: number, ci95Ms: [number, number] | null}}
 */
export function timePerMessage({comparedBy, rtt, throughput}) {
  if (comparedBy === 'latency' && rtt && rtt.meanMs !== null) return {meanMs: rtt.meanMs, ci95Ms: rtt.ci95Ms};
  const {messagesPerSecond, ci95MessagesPerSecond: interval} = throughput;
  return {
    meanMs: 1000 / messagesPerSecond,
    ci95Ms: interval && [1000 / interval[1], 1000 / interval[0]],
  };
}

/**
 * The same of one trial.
 * @param {'latency' | 'rate'} comparedBy
 * @param {{meanMs: number | null, messagesPerSecond: number}} trial
 * @returns {number} in ms
 */
export function timeOfTrial(comparedBy, {meanMs, messagesPerSecond}) {
  return comparedBy === 'latency' && meanMs !== null ? meanMs : 1000 / messagesPerSecond;
}
