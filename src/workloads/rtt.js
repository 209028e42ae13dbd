import {completeOpenLoop, openLoopDimensions} from './open-loop.js';

/**
 * One request outstanding, each reply waited for; with a rate, requests at times fixed beforehand.
 * @type {import('./index.js').Workload}
 */
export const rtt = {
  name: 'rtt',
  summary: 'one request outstanding, each reply waited for',
  needs: ['request'],
  figure: 'latency',
  hasServer: true,
  dimensions: () => ({...openLoopDimensions, answer: ['echo']}),
  complete: (variant) => {
    const {window, ...rest} = completeOpenLoop(variant);
    return rest.rate === null ? rest : {...rest, window};
  },
  concurrency: ({rate, window}) => (rate === null ? 1 : window),
  client: async () => {
    const [{measureRoundTrips}, {measureResponseTimes}] = await Promise.all([
      import('./rtt-client.js'),
      import('./open-loop-client.js'),
    ]);
    return (context) =>
      context.options.rate === null ? measureRoundTrips(context) : measureResponseTimes(context);
  },
  server: async () => (await import('./answer-server.js')).makeAnswerHandler,
};
