import {lies} from './lies.js';

/**
 * @import {Lie} from './lies.js'
 *
 * @typedef {object} Pair two programs
 * @property {string} server its fault
 * @property {string} client its fault
 * @property {Lie | null} lie
 * @property {boolean} hasBroker it gets a password
 *
 * @typedef {<Item>(from: readonly Item[]) => Item} Pick at random
 */

/** The fault of the program that makes the lie. */
export const lying = 'lying';
/** Faults with which a cell fails, and those with which it may be measured. */
const fatal = [
  ...['without an end of line', 'writing what nobody asked for', 'of endless details', 'dying with a child'],
  ...['failing in colours', 'dying in colours'],
];
const tolerable = ['none', 'leaving a child', 'leaving an orphan', 'coloured in details'];
const telling = ['failing with its password', 'dying with its password'];
const toldInDetails = 'with its password in details';

/** @param {Pick} pick @returns {Pair[]} */
export function shortForm(pick) {
  return [
    liar('leaving an orphan', pick),
    {server: 'none', client: toldInDetails, lie: null, hasBroker: true},
  ];
}

/** @param {string} other the fault of the other program @param {Pick} pick @returns {Pair} */
function liar(other, pick) {
  const lie = pick(lies);
  const both = lie.event === 'mark' ? {server: lying, client: other} : {server: other, client: lying};
  return {...both, lie, hasBroker: false};
}

/** @param {number} index @param {Pick} pick @returns {Pair} half of them lie, a quarter have a password */
export function combine(index, pick) {
  if (index % 2 === 0) return liar(pick(tolerable), pick);
  const hasBroker = index % 4 === 1;
  const worse = hasBroker ? [...telling, toldInDetails] : fatal;
  const [one, other] = [pick(worse), pick([...tolerable, ...worse])];
  const [server, client] = pick([
    [one, other],
    [other, one],
  ]);
  return {server, client, lie: null, hasBroker};
}

/** @param {Pair} pair */
export function mustFail({server, client, lie}) {
  return lie !== null || [server, client].some((fault) => [...fatal, ...telling].includes(fault));
}
