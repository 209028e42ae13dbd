import {performance} from 'node:perf_hooks';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {Flight} from './flight.js';
import {boundsOf, samplesKept} from './load.js';

/**
 * @import {RunError} from '../errors.js'
 * @import {FlightClient, ReplyCheck} from './flight.js'
 * @import {ClientSettings, WorkloadContext, WorkloadResult} from './index.js'
 */

/**
 * Taking memory for many samples has V8 collect garbage there and then. Done before the warm-up it leaves all that is compiled afterwards
 * slower, by some 4 % of the client's CPU time with small messages; so what is kept of the warm-up is little.
 */
const keptInWarmUp = 2 ** 15;

/**
 * The whole course of a client that keeps a window of requests in flight: warm-up, the wait for the other clients, measured part.
 *
 * @param {WorkloadContext} context
 * @param {{client: FlightClient, check: ReplyCheck, onWarm?: () => void}} means onWarm: what
 *   is counted from now on counts
 * @returns {Promise<{recorder: Recorder, flight: Flight, ms: number} & Pick<WorkloadResult, 'warmUp' | 'usage'>>}
 *   ms: from the first send to the last reply
 * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureFlight(context, {client, check, onWarm = () => {}}) {
  const {options} = context;
  const means = {recorder: new Recorder(keptInWarmUp), check};
  const flight = new Flight({...context, connection: {client}}, options.window, means);
  const warmUp = await warmUpFlight(flight, options);
  const recorder = new Recorder(samplesKept);
  await context.warmedUp();
  flight.restart(recorder);
  onWarm();

  const before = readUsage();
  const begin = performance.now();
  await flight.run(boundsOf(options));
  const ms = performance.now() - begin;
  const usage = usageSince(before);
  context.onPhase('measured');
  return {recorder, flight, ms, warmUp, usage};
}

/**
 * @param {Flight} flight
 * @param {Pick<ClientSettings, 'warmUp'>} options
 */
export function warmUpFlight(flight, {warmUp}) {
  const {recorder} = flight;
  // A run of the flight counts its own requests; the warm-up counts all.
  return warmUpBy(warmUp, recorder, (until) =>
    flight.run({...until, samples: until.samples - recorder.count}),
  );
}
