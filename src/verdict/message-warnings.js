/** @import {WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const lost = {
  code: 'lost',
  level: 'suspect',
  condition: 'a request had no reply within the timeout, or a message did not arrive',
  advice:
    'Check the server and the broker. A lost request counts with its time, which is at least the timeout.',
  sentence: ({figures: {counts}}) =>
    counts.lost > 0 ? `${counts.lost} of ${counts.sent} messages were lost or had no reply in time.` : null,
};

/** @type {WarningDeclaration} */
export const corrupted = {
  code: 'corrupted',
  level: 'suspect',
  condition: 'a message had wrong contents',
  advice:
    'Do not use this transport with this set-up. The journal says what was wrong with the first message.',
  sentence: ({figures: {counts}, trials}) =>
    counts.corrupted > 0
      ? `${counts.corrupted} messages had wrong contents. ${trials.find(({mismatch}) => mismatch)?.mismatch ?? ''}`.trim()
      : null,
};

/** @type {WarningDeclaration} */
export const duplicated = {
  code: 'duplicated',
  level: 'suspect',
  condition: 'a message arrived twice',
  advice: 'Deliveries were repeated, so receivers must handle duplicates. The rate counts each message once.',
  sentence: ({figures: {counts}}) =>
    counts.duplicated > 0 ? `${counts.duplicated} messages arrived more than once.` : null,
};
