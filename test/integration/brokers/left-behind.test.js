import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/**
 * @import {Workplace} from '../support/workplace.js'
 * @import {Channel} from 'amqplib'
 */

const quick = [
  '--payload',
  '1kb',
  '--warmup',
  '10',
  '--timeout',
  '500ms',
  '--rounds',
  '1',
  '--duration',
  '20s',
];

describe('a broker of the user, after a battle', {timeout: 600_000}, () => {
  const broker = sharedBroker({hasVirtualHost: true});

  /** @param {(channel: Channel) => Promise<unknown>} check */
  const holds = (check) =>
    broker().withChannel((channel) =>
      check(channel).then(
        () => true,
        () => false,
      ),
    );
  /** What there is of the names that a battle used. @param {Workplace} workplace @param {string | null} chosen name */
  const left = async (workplace, chosen) => {
    const {id} = /** @type {any} */ ((await workplace.journal()).find(({kind}) => kind === 'battle'));
    const names = [];
    for (const cell of [1, 2]) {
      const pair = `${id}-${cell}-1`;
      const queue = chosen ?? `queue-perf-battle-${pair}`;
      const exchange = chosen ?? `exchange-perf-battle-${pair}`;
      for (const name of [`${queue}-requests`, `${queue}-replies-${pair}-0`, `${queue}-store-${pair}-0`])
        if (await holds((channel) => channel.checkQueue(name))) names.push(`queue ${name}`);
      for (const name of [`${exchange}-requests`, `${exchange}-replies`])
        if (await holds((channel) => channel.checkExchange(name))) names.push(`exchange ${name}`);
    }
    return names;
  };

  /** @param {Workplace} workplace @param {string} script */
  const kill = async (workplace, script) => {
    const roles = (await workplace.processes()).filter(({command}) => command.includes(script));
    assert.ok(roles.length > 0, script);
    for (const {pid} of roles) process.kill(pid, 'SIGKILL');
  };
  const closeConnections = () =>
    broker().control('close_all_connections', '--vhost', broker().connection.vhost, 'test');
  /** @param {Workplace} _workplace @param {readonly string[]} names */
  const deleteRequests = async (_workplace, names) => {
    for (const name of names.filter((one) => one.endsWith('-requests')))
      if (name.startsWith('queue '))
        await broker().withChannel((channel) => channel.deleteQueue(name.slice('queue '.length)));
  };

  /** @type {{title: string, words: string[], chosen?: string, harm: (workplace: Workplace, names: readonly string[]) => Promise<unknown>}[]} */
  const table = [
    {
      title: 'whose roles were killed',
      words: ['--rabbitmq-queue-type', 'classic,quorum', '--delivery-mode', '2'],
      harm: (workplace) => kill(workplace, '/program.js rabbitmq-'),
    },
    {
      title: 'that fills and empties a queue, and whose client was killed',
      words: ['--workload', 'queue', '--delivery-mode', '1', '--samples', '3000000'],
      harm: (workplace) => kill(workplace, '/program.js rabbitmq-client'),
    },
    {
      title: 'with names that the user chose, whose roles were killed',
      words: ['--rabbitmq-queue', 'chosen', '--rabbitmq-exchange', 'chosen', '--delivery-mode', '1'],
      chosen: 'chosen',
      harm: (workplace) => kill(workplace, '/program.js rabbitmq-'),
    },
    {title: 'whose connections the broker closed', words: ['--delivery-mode', '1'], harm: closeConnections},
    {title: 'whose queues were deleted', words: ['--delivery-mode', '1'], harm: deleteRequests},
    {
      title: 'that was killed',
      words: ['--delivery-mode', '1'],
      harm: (workplace) => kill(workplace, 'bin/perf-battle.js'),
    },
  ];
  for (const {title, words, chosen = null, harm} of table) {
    it(
      `has nothing of one ${title}`,
      inAWorkplace(async (workplace) => {
        const length = words.includes('--samples') ? quick.slice(0, -2) : quick;
        const battle = workplace.start('battle', [
          ...['--transport', 'rabbitmq', '--broker', broker().url()],
          ...[...length, ...words],
        ]);
        const names = await untilUsed(() => left(workplace, chosen).catch(() => []));
        await harm(workplace, names);
        await battle.ended;
        assert.deepEqual(await nothingWithin(() => left(workplace, chosen), 20_000), []);
      }),
    );
  }

  it(
    'loses what a server by hand left when it was killed: the queue expires, and the exchanges with it',
    inAWorkplace(async (workplace) => {
      const server = workplace.start('rabbitmq-server', [], broker().environment);
      await server.says(/server ready/);
      server.child.kill('SIGKILL');
      await server.ended;
      const again = {durable: true, arguments: {'x-queue-type': 'classic'}};
      const queue = 'queue-perf-battle-requests';
      assert.equal(await holds((channel) => channel.assertQueue(queue, again)), false);
      assert.equal(await holds((channel) => channel.assertQueue(queue, {...again, expires: 60_000})), true);
      await broker().withChannel((channel) => channel.deleteQueue(queue));
      for (const name of ['exchange-perf-battle-requests', 'exchange-perf-battle-replies'])
        assert.equal(await holds((channel) => channel.checkExchange(name)), false);
    }),
  );
});

/** @param {() => Promise<string[]>} list */
async function untilUsed(list) {
  let names = await list();
  while (!names.some((name) => /-(replies|store)-/.test(name))) {
    await sleep(50);
    names = await list();
  }
  return names;
}

/** @param {() => Promise<string[]>} list @param {number} ms */
async function nothingWithin(list, ms) {
  const deadline = Date.now() + ms;
  let left = await list();
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(100);
    left = await list();
  }
  return left;
}
