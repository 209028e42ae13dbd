/** @import {Evidence} from './evidence.js' */

/**
 * A warning, declared once: docs/method.md lists code, condition and advice; a record holds code, sentence and advice.
 *
 * @typedef {object} WarningDeclaration
 * @property {string} code
 * @property {'wide' | 'suspect'} level the status of a cell that has it; suspect outranks wide
 * @property {'paired' | 'in turn'} [sparesRatios] ratios hold nevertheless of cells that are paired by round; in turn: and that it slowed alike
 * @property {boolean} [sparesRate] the rate that was achieved is right nevertheless
 * @property {boolean} [onlySlows] the true time is at most what was measured, and the true rate at least
 * @property {string} condition when a cell has it
 * @property {(cell: Evidence, cells: readonly Evidence[]) => string | null} sentence what is wrong with this cell, or null; cells: all
 *   completed cells of the battle
 * @property {string} advice
 * @property {(cell: Evidence) => string} [adviceFor] the advice for a cell, if not the same helps all of them
 * @property {(rounds: number) => string} [ofQuick] what is said in place of condition and advice where the short rounds of --quick are the reason
 */
