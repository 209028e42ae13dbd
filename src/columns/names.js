/**
 * How tables name a variant: RabbitMQ mode 2 (confirms, manual ack).
 * @param {{facilitator: string, qualifier: string | null, settings: readonly string[]}} labels
 */
export function nameOfVariant({facilitator, qualifier, settings}) {
  const name = qualifier ? `${facilitator} ${qualifier}` : facilitator;
  return settings.length > 0 ? `${name} (${settings.join(', ')})` : name;
}
