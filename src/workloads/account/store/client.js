import {sendSteadily} from '../steady-load.js';

/**
 * @import {WorkloadContext} from '../../workload.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

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
