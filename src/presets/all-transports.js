/** What a battle of all transports runs, and how long it may take, instead of defaults. */
export const ofAllTransports = {
  workload: ['rtt', 'pipeline'],
  window: [16],
  payloadBytes: [1024, 100 * 1024],
  budgetMs: 12 * 60_000,
};
