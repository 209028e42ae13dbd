import {outcomes} from '../measure/message-log.js';

/**
 * @import {Log} from '../measure/message-log.js'
 */

/**
 * What became of the messages of a load. sent = received + lost; sent = confirmed + refused + open; received = confirmed − confirmedLost +
 * unconfirmedReceived.
 * @typedef {object} Account
 * @property {number} sent
 * @property {number} confirmed by the broker, or answered with the right reply
 * @property {number} refused by the broker, because it did not take them or no queue did; or answered with a wrong reply
 * @property {number} open sent, and their outcome is not known
 * @property {number} received
 * @property {number} lost sent, and never seen
 * @property {number} confirmedLost confirmed, and never seen: a broken promise, if there was one
 * @property {number} unconfirmedReceived received, and never confirmed
 */

/**
 * Makes the account of a load.
 * @param {Pick<Log, 'messages' | 'startMs' | 'sentMs' | 'settledMs' | 'outcomes'>} log of the sender
 * @param {ReadonlySet<number> | null} received the numbers of the messages that came out of the queue; null: a reply shows that its request was received
 * @param {{sentMs: number, settledMs: number}} [until] only what was sent, and confirmed, by then; by the monotonic clock of the host. Default all
 * @returns {Account}
 */
export function accountOf(log, received, until) {
  const sentBy = until ? until.sentMs - log.startMs : Number.POSITIVE_INFINITY;
  const settledBy = until ? until.settledMs - log.startMs : Number.POSITIVE_INFINITY;
  const account = {
    ...{sent: 0, confirmed: 0, refused: 0, open: 0},
    ...{received: 0, lost: 0, confirmedLost: 0, unconfirmedReceived: 0},
  };
  for (let sequence = 0; sequence < log.messages; sequence += 1) {
    if (log.sentMs[sequence] > sentBy) continue;
    const isSettled = log.settledMs[sequence] <= settledBy;
    const outcome = isSettled ? log.outcomes[sequence] : outcomes.open;
    const isConfirmed = outcome === outcomes.taken;
    const isReceived = received === null ? isConfirmed : received.has(sequence);
    account.sent += 1;
    if (isConfirmed) account.confirmed += 1;
    else if (outcome === outcomes.refused) account.refused += 1;
    else account.open += 1;
    if (isReceived) account.received += 1;
    else account.lost += 1;
    if (isConfirmed && !isReceived) account.confirmedLost += 1;
    if (!isConfirmed && isReceived) account.unconfirmedReceived += 1;
  }
  return account;
}
