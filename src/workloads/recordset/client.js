import {sequenceOf} from '../../payload/stamp.js';
import {measureWindow} from '../measure-window.js';
import {RecordSetCheck} from './check.js';
import {RecordSetReader} from './reader.js';
import {recordSetBytes} from './size.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Delivery} from './request.js'
 * @import {RequestSlot} from '../request-slot.js'
 * @import {Waiting} from '../../transports/transport.js'
 */

/**
 * A window of requests for rows in flight. An answer is complete when all its rows are decoded into JavaScript values. So its time includes
 * encoding at the server and decoding at the client. Streamed rows of one chunk are decoded while the next chunk is on its way. Rows are
 * compared with the expected ones after the time was taken.
 *
 * @param {WorkloadContext<{rows: number, delivery: Delivery, window: number, verify: number, retries: number}>} context
 * @returns {Promise<WorkloadResult<{notes: {rows: number}}>>}
 * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureRecordSets(context) {
  const {options} = context;
  const check = new RecordSetCheck(options);
  const client = new RecordSetClient(context.connection, check, options);
  const onWarm = () => {
    // The first measured answer is then one of those that are compared.
    context.ring.restart();
    client.rows = 0;
  };
  const {recorder, window, ms, ...rest} = await measureWindow(context, {
    ...{client, onWarm},
    checkOf: () => check,
  });
  const {counts, tally} = window;
  const latency = recorder.finish();
  return {
    ...rest,
    latency,
    windows: recorder.windows(),
    // With a window of one, answers are compared between two requests, and that time does not count.
    timed: {messages: counts.received, ms: options.window === 1 ? (latency.mean * latency.count) / 1e6 : ms},
    counts: {...counts, duplicated: 0},
    mismatch: tally.mismatch,
    notes: {rows: client.rows},
    payloadBytes: recordSetBytes(options.rows),
  };
}

/** A client for the request window whose replies are decoded row sets. */
class RecordSetClient {
  /**
   * @param {WorkloadContext['connection']} connection
   * @param {RecordSetCheck} check
   * @param {{delivery: Delivery}} options
   */
  constructor(connection, check, {delivery}) {
    this.connection = connection;
    this.check = check;
    this.isStreamed = delivery === 'streamed';
    /** Rows decoded so far, of all answers. */
    this.rows = 0;
    /** The requests in flight. @type {Map<RequestSlot, Waiting>} */
    this.inFlight = new Map();
  }

  /** @param {Buffer} request @param {RequestSlot} slot its reply is a reader with all rows */
  ask(request, slot) {
    const answer = new RecordSetReader({keepRows: this.check.compares(sequenceOf(request))});
    const decode = (/** @type {Buffer} */ chunk) => answer.read(chunk);
    /** @type {Waiting} */
    const waiting = {
      onChunk: this.isStreamed ? decode : null,
      resolve: (last) => {
        this.inFlight.delete(slot);
        if (last.length > 0) answer.read(last);
        this.rows += answer.count;
        slot.resolve(answer);
      },
      reject: (error) => slot.reject(error),
    };
    this.inFlight.set(slot, waiting);
    this.connection.client.ask(request, waiting);
  }

  /** @param {RequestSlot} slot */
  abandon(slot) {
    const waiting = this.inFlight.get(slot);
    this.inFlight.delete(slot);
    if (waiting) this.connection.client.abandon?.(waiting);
  }
}
