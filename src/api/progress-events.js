import {nameOfCell} from '../columns/names.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {BattleEvent} from '../battle/run-battle.js'
 */

/**
 * What happens while a battle runs.
 *
 * @typedef {{type: 'note' | 'warning', text: string}
 *   | {type: 'broker', label: string}
 *   | {type: 'broker-missing', message: string}
 *   | {type: 'round', round: number, cells: PlannedCell[]}
 *   | {type: 'trial', round: number, cell: PlannedCell}
 *   | {type: 'cycle', cells: PlannedCell[], done: number}
 *   | {type: 'trial-done', round: number, cell: PlannedCell, msPerMessage: number, disturbed: boolean}
 *   | {type: 'cell-failed', cell: PlannedCell, message: string}} ProgressEvent round: of its cells, in their order; trial: it begins;
 *   cycle: these are measured in turn, in slices, and the share `done` of it is over;
 *   msPerMessage: the mean round trip of the trial, or its time for a message
 *
 * @typedef {{id: string, name: string, transport: string, variant: Readonly<Record<string, unknown>>, workload: string, payloadBytes: number}}
 *   PlannedCell id: of the record that it will have; name: for a person
 */

/**
 * @param {BattleEvent} event
 * @param {string} battleId
 * @returns {ProgressEvent}
 */
export function progressEventOf(event, battleId) {
  const planned = (/** @type {Cell} */ cell) => plannedCell(cell, battleId);
  switch (event.type) {
    case 'round':
      return {type: 'round', round: event.round, cells: event.groups.flat().map(planned)};
    case 'cycle':
      return {...event, cells: event.cells.map(planned)};
    case 'trial':
      return {type: 'trial', round: event.round, cell: planned(event.cell)};
    case 'trial-done': {
      const {round, cell, figureMs, disturbed} = event;
      return {type: 'trial-done', round, cell: planned(cell), msPerMessage: figureMs, disturbed};
    }
    case 'cell-failed':
      return {type: 'cell-failed', cell: planned(event.cell), message: event.message};
    default:
      return event;
  }
}

/** @param {Cell} cell @param {string} battleId @returns {PlannedCell} */
function plannedCell(cell, battleId) {
  const {number, transport, variant, workload, payloadBytes} = cell;
  return {id: `${battleId}-${number}`, name: nameOfCell(cell), transport, variant, workload, payloadBytes};
}
