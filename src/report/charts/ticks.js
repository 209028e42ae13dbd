import {withRoom} from './marks.js';
import {element, textElement} from './svg.js';

/** @import {Axis} from './axis.js' */

/** The marks of a vertical axis, with lines across the plot. @param {Axis} axis @param {{left: number, right: number, at: (value: number) => number}} plot */
export function verticalTicks({ticks}, {left, right, at}) {
  return ticks.flatMap(({value, label}) => [
    element('line', {class: 'grid', x1: left, x2: right, y1: at(value), y2: at(value)}),
    textElement({x: left - 8, y: at(value) + 4, 'text-anchor': 'end'}, label),
  ]);
}

/** The marks of a horizontal axis, below the plot. @param {Axis} axis @param {{bottom: number, at: (value: number) => number}} plot */
export function horizontalTicks({ticks}, {bottom, at}) {
  return withRoom(ticks, at).flatMap(({value, label, isShown}) => {
    const x = at(value);
    const mark = element('line', {class: 'tick', x1: x, x2: x, y1: bottom, y2: bottom + 5});
    return isShown ? [mark, textElement({x, y: bottom + 19, 'text-anchor': 'middle'}, label)] : [mark];
  });
}
