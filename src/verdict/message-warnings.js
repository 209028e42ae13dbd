/** @import {WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const lost = {
  code: 'lost',
  level: 'suspect',
  condition: 'a request had no reply within the timeout, or a message never came',
  advice: 'Look at the server and the broker; the times of requests are in as at least the timeout.',
  sentence: ({figures: {counts}}) =>
    counts.lost > 0 ? `${counts.lost} of ${counts.sent} messages were lost or had no reply in time.` : null,
};

/** @type {WarningDeclaration} */
export const corrupted = {
  code: 'corrupted',
  level: 'suspect',
  condition: 'a message was not what it must be',
  advice:
    'Do not use this transport as it is set up here; the journal says what was wrong with the first one.',
  sentence: ({figures: {counts}, trials}) =>
    counts.corrupted > 0
      ? `${counts.corrupted} messages were wrong. ${trials.find(({mismatch}) => mismatch)?.mismatch ?? ''}`.trim()
      : null,
};

/** @type {WarningDeclaration} */
export const duplicated = {
  code: 'duplicated',
  level: 'suspect',
  condition: 'a message came twice',
  advice: 'Deliveries were repeated: the receiver must be able to bear it, and the rate counts each once.',
  sentence: ({figures: {counts}}) =>
    counts.duplicated > 0 ? `${counts.duplicated} messages came more than once.` : null,
};
