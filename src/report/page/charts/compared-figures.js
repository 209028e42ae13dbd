import {formatMean, formatRateMean} from '../../../columns/figures.js';
import {formatMark} from './series.js';

/** @import {CompletedRecord} from '../../../results/record-schema.js' */

/**
 * The figure by which cells are compared: its name, its unit, and how it is read and written.
 * @type {Record<CompletedRecord['comparedBy'], {title: string, label: string, unit: string, format: (value: number) => string,
 *   of: (record: CompletedRecord) => {value: number | null, interval: [number, number] | null, text: string}}>}
 */
export const comparedFigures = {
  latency: {
    title: 'Mean round trip',
    label: 'mean, ms',
    unit: 'ms',
    format: formatMark,
    of: ({rtt}) => ({
      value: rtt?.meanMs ?? null,
      interval: rtt?.ci95Ms ?? null,
      text: rtt ? formatMean(rtt) : '',
    }),
  },
  rate: {
    title: 'Messages per second',
    label: 'messages per second',
    unit: 'messages/s',
    format: formatMark,
    of: ({throughput}) => ({
      value: throughput.messagesPerSecond,
      interval: throughput.ci95MessagesPerSecond,
      text: formatRateMean(throughput),
    }),
  },
};
