import {formatBytes} from '../payload/bytes.js';

/**
 * How tables name a variant: RabbitMQ mode 2 (confirms, manual ack).
 * @param {{facilitator: string, qualifier: string | null, settings: readonly string[]}} labels
 */
export function nameOfVariant({facilitator, qualifier, settings}) {
  const name = qualifier ? `${facilitator} ${qualifier}` : facilitator;
  return settings.length > 0 ? `${name} (${settings.join(', ')})` : name;
}

/** To the minute, in UTC. @param {string} time ISO 8601 */
export function formatMinute(time) {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * How notes and progress name a cell: RabbitMQ mode 2 (confirms), 100kb.
 * @param {{labels: Parameters<typeof nameOfVariant>[0], payloadBytes: number}} cell
 */
export function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}

/** Such as: 1 cell, 2 cells. @param {number} count @param {string} what one of them */
export function counted(count, what) {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
