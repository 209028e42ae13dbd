import {formatBytes} from '../payload/bytes.js';

/**
 * The name of a variant in tables: RabbitMQ mode 2 (confirms, manual ack).
 * @param {{facilitator: string, qualifier: string | null, settings: readonly string[]}} labels
 */
export function nameOfVariant({facilitator, qualifier, settings}) {
  const name = qualifier ? `${facilitator} ${qualifier}` : facilitator;
  return settings.length > 0 ? `${name} (${settings.join(', ')})` : name;
}

/** @param {string} time ISO 8601, UTC */
export function formatMinute(time) {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * The name of a cell in notes and progress: RabbitMQ mode 2 (confirms), 100kb.
 * @param {{labels: Parameters<typeof nameOfVariant>[0], payloadBytes: number}} cell
 */
export function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}

/** For example: 1 cell, 2 cells. @param {number} count @param {string} what the noun in the singular */
export function counted(count, what) {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
