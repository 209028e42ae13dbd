import {UsageError} from '../errors.js';
import {floorTransport, transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {checkEffects} from './effects.js';
import {labelsOf} from './labels.js';

/**
 * @import {BattleSettings} from '../settings/index.js'
 * @import {Side} from '../settings/side.js'
 * @import {Cell} from './cell.js'
 */

/** @typedef {Omit<Cell, 'number'>} Planned */

/**
 * The cells of a comparison of two sides. Each that is not equal on both is there for each side, and once more for the first: in the same
 * rounds, two equal sides show how far apart equal sides are. Raw TCP is the floor of all.
 *
 * @param {readonly Side[]} sides
 * @param {BattleSettings} settings
 * @param {(settings: BattleSettings) => Planned[]} plan
 * @returns {Planned[]}
 * @throws {UsageError} when a side has a setting without effect, or the sides do not have the same cells, or do not differ
 */
export function planSides(sides, settings, plan) {
  const planned = sides.map((side) => ({side, cells: cellsOf(side, settings, plan)}));
  const floors = planned.flatMap(({cells}) => cells.filter(isFloor));
  const [one, again, other] = planned.map(({side, cells}) => ({
    side,
    cells: cells.filter((cell) => !isFloor(cell)),
  }));
  if (one.cells.length !== other.cells.length)
    throw new UsageError(
      'The sides do not have the same cells, so they cannot be compared pair by pair. A setting that one side names may have several values by default: name it on the other side, too.',
    );
  const differs = one.cells.map((cell, index) =>
    isDifferent(cell, other.cells[index], [one.side, other.side]),
  );
  if (!differs.includes(true))
    throw new UsageError(
      'The sides do not differ in any cell. Name a --transport that their settings apply to; raw TCP is the floor of both.',
    );
  const ofSides = [one, again, other].flatMap(({side, cells}) =>
    cells.filter((_, index) => differs[index]).map((cell) => ofSide(cell, side)),
  );
  return [...floors, ...ofSides];
}

/** @param {Side} side @param {BattleSettings} settings @param {(settings: BattleSettings) => Planned[]} plan */
function cellsOf(side, settings, plan) {
  const ofSide = withSide(settings, side);
  const cells = plan(ofSide);
  checkEffects(ofSide, cells, (key) => key in side.origins);
  return cells;
}

/** @param {BattleSettings} settings @param {Side} side @returns {BattleSettings} */
function withSide(settings, {values, origins}) {
  return {...settings, values: {...settings.values, ...values}, origins: {...settings.origins, ...origins}};
}

/** @param {Planned} cell */
function isFloor({transport}) {
  return transport === floorTransport.name;
}

/** @param {Planned} one @param {Planned} other @param {readonly Side[]} sides */
function isDifferent(one, other, sides) {
  const keyOf = (/** @type {Planned} */ {transport, workload, payloadBytes}) =>
    JSON.stringify([transport, workload, payloadBytes]);
  if (keyOf(one) !== keyOf(other))
    throw new UsageError('The sides do not have the same cells, so they cannot be compared pair by pair.');
  const [program, otherProgram] = sides.map((side) => JSON.stringify(side.program));
  return program !== otherProgram || JSON.stringify(one.variant) !== JSON.stringify(other.variant);
}

/** @param {Planned} cell @param {Side} side @returns {Planned} */
function ofSide(cell, {name, program}) {
  const variant = {...cell.variant, side: name, ...program};
  return {
    ...cell,
    variant,
    labels: labelsOf(transportNamed(cell.transport), variant, workloads[cell.workload]),
  };
}
