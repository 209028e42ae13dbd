import {endurox} from './endurox/index.js';
import {hlog} from './hlog/index.js';
import {prometheus} from './prometheus/index.js';

/**
 * @import {RunError} from '../errors.js'
 * @import {ExportFormat} from './export-format.js'
 */

const registry = [endurox, hlog, prometheus];

/** All export formats, in the order of writing. @type {readonly ExportFormat[]} */
export const exportFormats = registry;

export const chartFilesOptions = registry.flatMap((format) =>
  'chartFiles' in format ? format.chartFiles.option : [],
);

/** Serves the figures of a battle while it runs. @param {number} port 0 for any free port @throws {RunError} PB_PORT_IN_USE or PB_LISTEN */
export async function openMetrics(port) {
  const {MetricsEndpoint} = await import('./prometheus/metrics.js');
  const endpoint = new MetricsEndpoint();
  return {endpoint, url: await endpoint.open(port)};
}
