import {sendSteadily} from '../steady-load.js';

/**
 * @import {WorkloadContext, WorkloadRole} from '../../workload.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

/** A steady load into a durable queue that records the outcome of each message. @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  concurrency: () => 1,
  client: async () => storeSteadily,
};

/** @param {WorkloadContext<SteadySettings>} context */
export function storeSteadily(context) {
  return sendSteadily(context, ({store}) => {
    if (!store) throw new TypeError('This transport stores no messages.');
    return {
      send: (payload, {taken, refused}) => store.put(payload, {confirmed: taken, refused}),
      drained: () => store.drained(),
      settles: store.awaitsConfirms,
    };
  });
}
