/**
 * A client's `request` made of its `ask`.
 * @param {NonNullable<import('./index.js').Client['ask']>} ask
 * @returns {import('./index.js').Client['request']}
 */
export function promised(ask) {
  return (payload, parts) =>
    new Promise((resolve, reject) => ask(payload, {resolve, reject, onChunk: parts?.onChunk ?? null}));
}
