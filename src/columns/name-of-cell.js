import {formatBytes} from '../payload/format-bytes.js';
import {nameOfVariant} from './names.js';

/**
 * How notes and progress name a cell: RabbitMQ mode 2 (confirms), 100kb.
 * @param {{labels: Parameters<typeof nameOfVariant>[0], payloadBytes: number}} cell
 */
export function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
