/** @typedef {{confirms: boolean, transactions: boolean}} Confirmation of a variant */

/** Whether the broker says of each message that it has it: by a confirm, or by the answer to a commit. @param {Confirmation} variant */
export function isConfirmed({confirms, transactions}) {
  return confirms || Boolean(transactions);
}

/**
 * Confirms and transactions measure the cost of persistence only if a request is acknowledged after its reply is confirmed, or with it.
 * @param {Confirmation} variant
 */
export function defaultAcknowledgement(variant) {
  return isConfirmed(variant) ? 'manual' : 'auto';
}
