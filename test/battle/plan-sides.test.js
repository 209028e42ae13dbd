import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {planCells} from '../../src/battle/plan.js';
import {nameOfVariant} from '../../src/columns/names.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';
import {readSides} from '../../src/sides/read-sides.js';

/** @param {string} commandLine @param {{a?: string, b: string}} sides */
function plan(commandLine, {a = '', b}) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine.split(' '));
  const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags});
  return planCells({...resolveBattle(asked, {payloadFileBytes: null, seed: 7}), sides: readSides({a, b})});
}

/** @param {ReturnType<typeof plan>} cells */
const names = (cells) => cells.map(({labels, payloadBytes}) => `${nameOfVariant(labels)} ${payloadBytes}`);

describe('the cells of two sides', () => {
  it('are those of each side, of the first once more, and of raw TCP', () => {
    const cells = plan('--transport rabbitmq --delivery-mode 1 --payload 1kb', {b: '--rabbitmq-confirms on'});
    assert.deepEqual(names(cells), [
      'TCP 1024',
      'RabbitMQ mode 1 (side a) 1024',
      'RabbitMQ mode 1 (side a again) 1024',
      'RabbitMQ mode 1 (confirms, side b) 1024',
    ]);
    assert.deepEqual(
      cells.map(({variant}) => variant.side),
      [undefined, 'a', 'a again', 'b'],
    );
  });

  it('are only those in which the sides differ', () => {
    const cells = plan('--transport http,websocket --http-server node --payload 1kb,2kb', {
      b: '--http-keep-alive off',
    });
    assert.ok(cells.every(({transport}) => transport !== 'websocket'));
    assert.equal(cells.length, 2 * 4);
  });

  it('all differ where something else runs them, whose name each row has', () => {
    const cells = plan('--transport websocket --payload 1kb', {a: 'ws@8.18', b: `node=${process.execPath}`});
    assert.deepEqual(names(cells), [
      'TCP 1024',
      'Web Sockets (ws@8.18, side a) 1024',
      'Web Sockets (ws@8.18, side a again) 1024',
      `Web Sockets (node=${process.execPath}, side b) 1024`,
    ]);
    assert.equal(cells[3].variant.node, process.execPath);
  });

  it('are refused when they are the same', () => {
    for (const [commandLine, b] of [
      ['--transport tcp --payload 1kb', 'node@22'],
      ['--transport rabbitmq --payload 1kb', ''],
      // UDP has no algorithm of Nagle, and the floor is not compared.
      ['--transport udp --payload 1kb', '--tcp-no-delay off'],
    ])
      assert.throws(() => plan(commandLine, {b}), {code: 'PB_USAGE', message: /do not differ in any cell/});
  });

  it('are refused when a setting of one has no effect there', () => {
    for (const [commandLine, b, message] of /** @type {const} */ ([
      ['--transport http', '--rabbitmq-confirms on', /--rabbitmq-confirms on has no effect here/],
      ['--transport rabbitmq', '--rabbitmq-prefetch 10', /it needs .*--rabbitmq-ack manual/],
      ['--transport rabbitmq', '--rabbitmq-confirms on --rows 5', /--rows 5 has no effect here/],
    ]))
      assert.throws(() => plan(`${commandLine} --payload 1kb`, {b}), {code: 'PB_USAGE', message});
  });
});
