import {faultNamed} from '../../faults/faults.js';
import {groupBy} from '../../stats/numbers.js';

/**
 * @import {Conclusion, Summary} from '../../faults/found.js'
 * @import {FaultName} from '../../faults/faults.js'
 *
 * @typedef {(row: Conclusion['row']) => string} NameOf
 */

/**
 * What faults showed, in sentences without their full stops. What breaks a promise comes first.
 * @param {readonly Conclusion[]} conclusions at least one
 * @param {NameOf} nameOf
 * @returns {string[]} at least one
 */
export function answersOfFaults(conclusions, nameOf) {
  const done = conclusions.filter(({error}) => error === null);
  if (done.length === 0)
    return [`Nothing was measured: ${allOf(conclusions.length, 'the only row', 'rows')} failed`];
  const failed = conclusions.length - done.length;
  const stored = groupBy(
    done.filter(({row}) => row.stores),
    ({row}) => row.labels.facilitator,
  );
  return [
    ...answersOnPromises(done, nameOf),
    ...[...stored].flatMap(([facilitator, rows]) => answersOnStored(facilitator, rows, nameOf)),
    ...answersOnRequests(
      done.filter(({row}) => !row.stores),
      nameOf,
    ),
    ...(failed > 0 ? [`${failed} of ${conclusions.length} rows failed`] : []),
  ];
}

/** @param {readonly Conclusion[]} done @param {NameOf} nameOf */
function answersOnPromises(done, nameOf) {
  const broken = done.filter(({isBroken}) => isBroken).map(({row}) => nameOf(row));
  return broken.length === 0 ? [] : [`Broken promise: ${inWords(broken)} lost messages confirmed as stored`];
}

/** @param {string} facilitator @param {readonly Conclusion[]} rows @param {NameOf} nameOf */
function answersOnStored(facilitator, rows, nameOf) {
  const silent = rows.filter(({evidence}) => evidence?.isConfirmed === false);
  const confirming = rows.filter((one) => !silent.includes(one));
  const tried = confirming.filter(({faults}) => faults.some(({outcome}) => outcome !== 'not tried'));
  const kept = tried.filter(({faults}) =>
    faults.every(({outcome}) => outcome === 'kept' || outcome === 'not tried'),
  );
  const done = tried.flatMap(({faults}) => faults.filter(({outcome}) => outcome !== 'not tried'));
  const through = inWords([...new Set(done.map(({fault}) => nounOf(fault)))]);
  return [
    ...(tried.length === 1
      ? [
          `${nameOf(tried[0].row)} ${kept.length === 1 ? 'kept' : 'did not keep'} every confirmed message through ${through}`,
        ]
      : []),
    ...(tried.length > 1
      ? [
          `${facilitator}: ${kept.length} of ${tried.length} settings with confirms kept every confirmed message through ${through}`,
        ]
      : []),
    ...(tried.length < confirming.length
      ? [`${facilitator}: no fault was tried on ${confirming.length - tried.length} of its settings`]
      : []),
    ...(silent.length > 0
      ? [
          `${facilitator}: ${silent.length === 1 ? 'one setting confirms' : `${silent.length} settings confirm`} nothing, so nothing is promised`,
        ]
      : []),
  ];
}

/** @param {readonly Conclusion[]} rows @param {NameOf} nameOf */
function answersOnRequests(rows, nameOf) {
  if (rows.length === 0) return [];
  const [first] = rows;
  if (rows.length === 1) {
    const each = first.faults.map(repliesUnder);
    return [`${nameOf(first.row)}: ${each.length === 0 ? first.sentence : each.join('; ')}`];
  }
  const answered = rows.filter(({faults}) => faults.every(({lost}) => lost === 0));
  const outages = [...groupBy(rows.flatMap(outagesOf), ({fault}) => fault)].map(([fault, all]) =>
    outageAnswer(fault, all, nameOf),
  );
  return [[`${answered.length} of ${rows.length} rows had a reply to each request`, ...outages].join('; ')];
}

/** @param {Summary} summary */
function repliesUnder({fault, lost, of, outageMs}) {
  const replies =
    lost === null
      ? `nothing is known of the replies under ${fault}`
      : lost === 0
        ? `each of ${of} requests had a reply under ${fault}`
        : `${lost} of ${of} requests had no reply under ${fault}`;
  return outageMs === null ? replies : `${replies}, outage ${secondsOf(outageMs)}`;
}

/** @param {Conclusion} one */
function outagesOf({row, faults}) {
  return faults.flatMap(({fault, outageMs}) => (outageMs === null ? [] : [{row, fault, outageMs}]));
}

/** @param {FaultName} fault @param {readonly ReturnType<typeof outagesOf>[number][]} all @param {NameOf} nameOf */
function outageAnswer(fault, all, nameOf) {
  const shortestFirst = all.toSorted((one, other) => one.outageMs - other.outageMs);
  const [shortest] = shortestFirst;
  const longest = shortestFirst[shortestFirst.length - 1];
  const text = (/** @type {typeof shortest} */ {row, outageMs}) => `${secondsOf(outageMs)} (${nameOf(row)})`;
  return all.length === 1
    ? `outage by ${fault} ${text(shortest)}`
    : `outages by ${fault} from ${text(shortest)} to ${text(longest)}`;
}

/** @param {number} ms */
function secondsOf(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** @param {FaultName} fault */
function nounOf(fault) {
  const {kind} = faultNamed(fault);
  return kind === null ? fault : kind === 'crash' ? 'crashes' : 'power cuts';
}

/** @param {number} count @param {string} one @param {string} several */
function allOf(count, one, several) {
  return count === 1 ? one : `all ${count} ${several}`;
}

/** @param {readonly string[]} names at least one */
function inWords(names) {
  const last = names[names.length - 1];
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
