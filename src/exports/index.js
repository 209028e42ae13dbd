import {endurox} from './endurox/index.js';
import {hlog} from './hlog/index.js';
import {prometheus} from './prometheus/index.js';

/** @import {ExportFormat} from './export-format.js' */

/** All export formats, in the order in which they are written. @type {readonly ExportFormat[]} */
export const exportFormats = [endurox, hlog, prometheus];

/** What serves the figures of a battle while it runs. */
export async function makeMetricsEndpoint() {
  const {MetricsEndpoint} = await import('./prometheus/endpoint.js');
  return new MetricsEndpoint();
}
