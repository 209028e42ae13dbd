import {formatBytes} from '../payload/bytes.js';

/**
 * How tables name a variant: RabbitMQ mode 2 (confirms, manual ack).
 * @param {{facilitator: string, qualifier: string | null, settings: readonly string[]}} labels
 */
export function nameOfVariant({facilitator, qualifier, settings}) {
  const name = qualifier ? `${facilitator} ${qualifier}` : facilitator;
  return settings.length > 0 ? `${name} (${settings.join(', ')})` : name;
}

/**
 * How notes and progress name a cell: RabbitMQ mode 2 (confirms), 100kb.
 * @param {{labels: Parameters<typeof nameOfVariant>[0], payloadBytes: number}} cell
 */
export function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
