/** @typedef {{confirms: boolean, transactions: boolean}} Confirmation of a variant */

/** Returns whether the broker reports that it has each message, by a confirm or by the answer to a commit. @param {Confirmation} variant */
export function isConfirmed({confirms, transactions}) {
  return confirms || Boolean(transactions);
}

/**
 * Returns the default acknowledgement. Confirms and transactions measure the cost of persistence only if a request is acknowledged when or
 * after its reply is confirmed.
 * @param {Confirmation} variant
 */
export function defaultAcknowledgement(variant) {
  return isConfirmed(variant) ? 'manual' : 'auto';
}
