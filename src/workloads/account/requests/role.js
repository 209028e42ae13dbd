/**
 * @import {Answer} from '../../../payload/message-check.js'
 * @import {WorkloadRole} from '../../workload.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

/** A steady load of requests; what each became is kept. @satisfies {WorkloadRole<SteadySettings & {answer: Answer}>} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: ({window}) => window,
  client: async () => (await import('./client.js')).requestSteadily,
  server: async () => (await import('../../answer-server.js')).makeAnswerHandler,
};
