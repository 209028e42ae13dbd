import {isRight} from '../../../payload/message-check.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {RecordSetCheck, RecordSetReader} from '../../recordset/client.js';
import {role as measured} from '../../recordset/role.js';
import {sendSteadily} from '../steady-load.js';

/**
 * @import {WorkloadContext, WorkloadRole} from '../../workload.js'
 * @import {Delivery} from '../../recordset/request.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

/** @typedef {SteadySettings & {rows: number, delivery: Delivery, seed: number}} RowsSettings */

/** A steady load of requests for rows. A request has the right reply when all its rows are decoded, and have the right values. @satisfies {WorkloadRole<any>} */
export const role = {
  ...measured,
  client: async () => requestRowsSteadily,
};

/** @param {WorkloadContext<RowsSettings>} context */
export function requestRowsSteadily(context) {
  const {rows, delivery, seed} = context.options;
  const check = new RecordSetCheck({rows, seed, verify: 1, client: context.ring.client});
  return sendSteadily(context, (client) => ({
    send: (payload, {taken, refused, failed}) => {
      const answer = new RecordSetReader({keepRows: true});
      const decode = (/** @type {Buffer} */ chunk) => answer.read(chunk);
      client.ask(payload, {
        resolve: (last) => {
          if (last.length > 0) answer.read(last);
          if (isRight(check, answer, sequenceOf(payload))) taken();
          else refused();
        },
        reject: failed,
        onChunk: delivery === 'streamed' ? decode : null,
      });
      return true;
    },
    drained: async () => {},
    settles: true,
  }));
}
