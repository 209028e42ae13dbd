import assert from 'node:assert/strict';
import {cp, mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {eachInAWorkplace, inAWorkplace} from '../support/each-in-a-workplace.js';
import {hostsWithCaches} from '../support/fill-caches.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';

/** @import {Workplace} from '../support/workplace.js' */

const example = fileURLToPath(new URL('../../../examples/transports/lines', import.meta.url));
const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];

/** The least that works: everything in one file, and a promise for each request. */
const least = `
import {createServer, connect as connectSocket} from 'node:net';

async function serve({listenAddress, serverPort}, onRequest) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      for (let end; (end = text.indexOf(';')) >= 0; text = text.slice(end + 1))
        onRequest(Buffer.from(text.slice(0, end), 'hex'), {
          write: () => true, drained: async () => {}, end: (reply) => reply && socket.write(reply.toString('hex') + ';'),
        });
    });
  });
  await new Promise((resolve) => server.listen(serverPort, listenAddress, resolve));
  return {
    address: '127.0.0.1:' + server.address().port,
    closed: new Promise(() => {}),
    close: async () => void server.close(),
  };
}

async function connect({servers}) {
  const [host, port] = servers[0].split(':');
  const socket = connectSocket(Number(port), host);
  let text = '';
  let answer;
  socket.on('data', (chunk) => {
    text += chunk;
    if (!text.endsWith(';')) return;
    answer(Buffer.from(text.slice(0, -1), 'hex'));
    text = '';
  });
  return {
    request: (payload) => new Promise((resolve) => {
      answer = resolve;
      socket.write(payload.toString('hex') + ';');
    }),
    closed: new Promise(() => {}),
    close: async () => socket.destroy(),
  };
}

export default {
  apiVersion: 1, name: 'least', label: 'The least', capabilities: ['request'],
  client: async () => ({connect}), server: async () => ({serve}),
};
`;

/** @param {Workplace} workplace @param {string[]} words @param {NodeJS.ProcessEnv} [environment] */
async function run(workplace, words, environment) {
  return await workplace.start('battle', words, environment).ended;
}

describe('a transport that is not part of perf-battle', {timeout: 600_000, concurrency: 2}, () => {
  for (const [file, text] of [
    [
      'perf-battle.config.js',
      "import lines from './lines/index.js'; export default {transports: [lines], scenarios: {small: {transport: 'lines'}}};",
    ],
    [
      'perf-battle.config.json',
      '{"transports": ["./lines"], "scenarios": {"small": {"transport": "lines"}}}',
    ],
  ])
    it(
      `is known by its name where ${file} has it`,
      inAWorkplace(async (workplace) => {
        await cp(example, workplace.file('lines'), {recursive: true});
        await writeFile(workplace.file('package.json'), '{"type": "module"}');
        await writeFile(workplace.file(file), text);
        for (const words of [
          ['--transport', 'lines'],
          ['--scenario', 'small'],
        ]) {
          const {code, stderr} = await run(workplace, [...words, ...short]);
          assert.equal(code, 0, stderr);
        }
        const cells = await workplace.cells();
        assert.deepEqual(
          cells.map(({transport, outcome}) => [transport, outcome]),
          ['tcp', 'lines', 'tcp', 'lines'].map((name) => [name, 'completed']),
        );
        const unknown = await run(workplace, ['--transport', 'lnes', ...short]);
        assert.equal(unknown.code, 2);
      }),
    );

  it(
    'is in its groups where the config file brings it, and is named in any case and by any of its paths',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      await workplace.edit('lines/index.js', ['  options:', "  groups: ['http-family'],\n  options:"]);
      await writeFile(workplace.file('perf-battle.config.json'), '{"transports": ["./lines", "all"]}');
      for (const [named, isIn] of /** @type {[string, boolean][]} */ ([
        ['http-family', true],
        ['HTTP-Family,./lines', true],
        ['all', true],
        ['local', false],
        ['LINES', true],
        ['./lines,./lines/index.js', true],
      ])) {
        const words = ['--transport', named, '--payload', '1kb', '--workload', 'rtt', '--dry-run', '--json'];
        const {code, stdout, stderr} = await run(workplace, words);
        assert.equal(code, 0, stderr);
        assert.equal(stdout.match(/"transport": ?"lines"/g)?.length ?? 0, isIn ? 1 : 0, named);
      }
      await workplace.edit('lines/index.js', ['http-family', 'http-famly']);
      const {code, stderr} = await run(workplace, ['--transport', './lines', '--dry-run']);
      assert.equal(code, 2);
      assert.match(stderr, /groups must be a list of .*http-family.*; it is \["http-famly"\]/);
    }),
  );

  it(
    'is refused by the name of its folder, which is a path only with ./ before it',
    inAWorkplace(async (workplace) => {
      for (const name of ['lines2', 'brokers', 'tcp'])
        await cp(example, workplace.file(name), {recursive: true});
      for (const words of [
        ['check-transport', 'lines2'],
        ['--transport', 'tcp,lines2', '--dry-run'],
        ['serve', 'lines2'],
      ]) {
        const {code, stderr} = await run(workplace, words);
        assert.equal(code, 2);
        assert.equal(
          stderr,
          'perf-battle: There is no transport named "lines2". Did you mean the folder ./lines2?\n',
        );
      }
      const {code, stderr} = await run(workplace, ['--transport', 'brokers,tcp', '--dry-run']);
      assert.equal(code, 0, stderr);
    }),
  );

  it(
    'has its rows and records beside the others, with a row for each of its variants',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const words = ['--transport', './lines,tcp', '--lines-encoding', 'base64,hex', ...short];
      const {code, stdout, stderr} = await run(workplace, words);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Lines/);
      const rows = await workplace.rows();
      assert.ok(
        rows.some((row) => /\| Lines \(hex\b/.test(row)) &&
          rows.some((row) => /\| Lines( \(suspect\))? +\|/.test(row)),
        rows.join('\n'),
      );
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({transport, outcome}) => [transport, outcome]),
        [
          ['tcp', 'completed'],
          ['lines', 'completed'],
          ['lines', 'completed'],
        ],
      );
      const [, lines] = cells;
      assert.deepEqual(
        [lines.module?.specifier, lines.module?.package, lines.module?.version],
        ['./lines', 'perf-battle-transport-lines', '1.0.0'],
      );
      assert.match(String(lines.module?.url), /\/lines\/index\.js$/);
      assert.ok(lines.outcome === 'completed' && lines.floor?.ratio);
      // Without it: what a record needs to be read is in the record.
      for (const command of [['table'], ['table', '--detail'], ['report'], ['chart']]) {
        const later = await run(workplace, command);
        assert.equal(later.code, 0, `${command.join(' ')}: ${later.stderr}`);
      }
      assert.match((await run(workplace, ['table'])).stdout, /Lines/);
      const expected = await run(workplace, ['table', '--expect', 'lines 1kb max < 100s']);
      assert.equal(expected.code, 0, expected.stderr + expected.stdout);
      assert.match(await readFile(workplace.file('report.html'), 'utf8'), /Lines/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is found as an npm package by its whole name and by what follows perf-battle-transport-',
    inAWorkplace(async (workplace) => {
      const folder = workplace.file('node_modules/perf-battle-transport-hexadecimal');
      await mkdir(folder, {recursive: true});
      await writeFile(`${folder}/main.js`, least);
      const exported = {'.': {types: './main.d.ts', import: './main.js'}};
      await writeFile(
        `${folder}/package.json`,
        JSON.stringify({
          name: 'perf-battle-transport-hexadecimal',
          version: '4.5.6',
          type: 'module',
          exports: exported,
        }),
      );
      for (const named of ['hexadecimal', 'perf-battle-transport-hexadecimal']) {
        const {code, stderr} = await run(workplace, ['--transport', named, ...short], {PB_WORKLOAD: 'rtt'});
        assert.equal(code, 0, stderr);
      }
      const help = await run(workplace, ['help', 'hexadecimal']);
      assert.equal(help.code, 0, help.stderr);
      assert.match(help.stdout, /^The least: --transport least\n\nIt has no options of its own/);
      const cell = (await workplace.cells()).at(-1);
      assert.deepEqual(
        [cell?.transport, cell?.labels.facilitator, cell?.module?.version],
        ['least', 'The least', '4.5.6'],
      );
    }),
  );

  it(
    'is served and called by hand, with its own settings and help',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const server = workplace.start('battle', ['serve', './lines'], {
        ...{
          PB_SERVER_PORT: '0',
          PB_OUTPUT: 'ndjson',
          PB_LISTEN_ADDRESS: '127.0.0.1',
          PB_LINES_ENCODING: 'hex',
        },
      });
      const [, port] = await server.says(/"address":"\S+:(\d+)"/);
      const {code, stdout, stderr} = await run(
        workplace,
        ['call', './lines', '--lines-encoding', 'hex', '--samples', '50', '--warmup', '10'],
        {PB_SERVER_PORT: port, PB_SERVER_HOST: '127.0.0.1'},
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Lines.*mean/s);
      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 143);
      const help = await run(workplace, ['serve', './lines', '--help']);
      assert.match(help.stdout, /^Lines: Answers .*PB_LINES_ENCODING \(default base64\)/s);
      for (const topic of ['./lines', './lines/index.js']) {
        const {code, stdout} = await run(workplace, ['help', topic]);
        assert.equal(code, 0);
        assert.match(stdout, /^Lines: --transport lines\n\nLines:\n {2}--lines-encoding/);
      }
      assert.equal((await run(workplace, ['help', './nosuch'])).code, 2);
      for (const shell of ['bash', 'zsh', 'fish']) {
        const script = await run(workplace, ['completion', shell, '--transport', './lines']);
        assert.equal(script.code, 0, script.stderr);
        assert.match(script.stdout, /lines-encoding\b.*base64.*hex/);
      }
      const helpOfBattle = await run(workplace, ['--help', '--transport', './lines']);
      assert.match(helpOfBattle.stdout, /\nLines:\n {2}--lines-encoding/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'has variables in .env, which do not disturb commands without it',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const known = 'PB_LINES_ENCODING=hex\n';
      await writeFile(workplace.file('.env'), known);
      const tcp = ['--transport', 'tcp', ...short];
      const unnamed = await run(workplace, [...tcp, '--dry-run']);
      assert.equal(unnamed.code, 2);
      assert.match(unnamed.stderr, /name that transport in PB_TRANSPORT/);
      await writeFile(workplace.file('.env'), `PB_TRANSPORT=./lines\n${known}`);
      for (const words of [tcp, ['table'], ['report'], ['chart']]) {
        const {code, stderr} = await run(workplace, words);
        assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
        assert.doesNotMatch(stderr, /PB_LINES/);
      }
      const checked = await run(workplace, ['check-transport', 'unix', '--json']);
      assert.equal(checked.code, 0, checked.stderr);
      await writeFile(workplace.file('.env'), 'PB_TRANSPORT=./lines\nPB_LINES_ENCODIGN=hex\n');
      const misspelt = await run(workplace, [...short, '--dry-run']);
      assert.equal(misspelt.code, 2);
      assert.match(misspelt.stderr, /Did you mean PB_LINES_ENCODING\?/);
    }),
  );

  it(
    'takes part in a comparison of two settings',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const ab = [
        'ab',
        '--transport',
        './lines',
        '--b',
        '--lines-encoding hex',
        '--rounds',
        '5',
        '--samples',
        '50',
        '--payload',
        '1kb',
      ];
      const compared = await run(workplace, [...ab, '--warmup', '10']);
      assert.equal(compared.code, 0, compared.stderr);
      assert.match(compared.stdout, /b \/ a|side b/);
    }),
  );

  it(
    'is named in scenarios and expectations, and loaded again for a battle that goes on',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const scenarios = {
        own: {transport: './lines', payload: '1kb', rounds: 3, duration: '300ms', warmup: '10'},
      };
      await writeFile(workplace.file('perf-battle.config.json'), JSON.stringify({scenarios}));
      const words = ['--scenario', 'own', '--expect', 'lines mean < 5s', '--slices', 'off'];
      const first = workplace.start('battle', words);
      await workplace.untilFirstTrial(first);
      first.child.kill('SIGINT');
      assert.equal((await first.ended).code, 130);
      const resumed = await run(workplace, ['--resume']);
      assert.ok([0, 5].includes(Number(resumed.code)), resumed.stderr);
      assert.equal((await workplace.cells()).at(-1)?.outcome, 'completed');
    }),
  );

  it(
    'that was killed does not keep a battle without it from running',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const long = [
        '--transport',
        './lines',
        '--payload',
        '1kb',
        '--rounds',
        '4',
        '--duration',
        '600ms',
        '--warmup',
        '10',
        '--slices',
        'off',
      ];
      const killed = workplace.start('battle', long);
      await workplace.untilFirstTrial(killed);
      killed.child.kill('SIGKILL');
      await killed.ended;
      const {code, stderr} = await run(workplace, ['--transport', 'tcp', ...short]);
      assert.equal(code, 0, stderr);
      const aborted = (await workplace.cells()).filter(({outcome}) => outcome === 'aborted');
      assert.deepEqual(aborted.map(({labels}) => labels.facilitator).toSorted(), ['Lines', 'TCP']);
      const resumed = await run(workplace, ['--resume']);
      assert.notEqual(resumed.code, 1, resumed.stderr);
    }),
  );

  for (const [
    what,
    files,
    named,
    message,
  ] of /** @type {[string, Record<string, string>, string, RegExp][]} */ ([
    ['a file that is not there', {}, './none.js', /The transport \.\/none\.js does not exist: there is no /],
    [
      'a folder without a module',
      {'empty/a.txt': ''},
      './empty',
      /empty is no transport: there is no .*index\.js/,
    ],
    [
      'a module with a mistake',
      {'bad.mjs': 'export default {'},
      './bad.mjs',
      /\.\/bad\.mjs cannot be loaded: /,
    ],
    [
      'a module that declares none',
      {'other.mjs': 'export default 5;'},
      './other.mjs',
      /is no transport: .* it is no object/,
    ],
    [
      'a later version of the contract',
      {'later.mjs': least.replace('apiVersion: 1', 'apiVersion: 2')},
      './later.mjs',
      /apiVersion must be 1, .* it is 2/,
    ],
    [
      'the name of another transport',
      {'udp.mjs': least.replace("name: 'least'", "name: 'udp'")},
      './udp.mjs',
      /"udp" of "\.\/udp\.mjs" has the name of a transport of perf-battle/,
    ],
    [
      'an unknown broker',
      {'broker.mjs': least.replace('apiVersion', "broker: 'pigeon', apiVersion")},
      './broker.mjs',
      /needs a broker "pigeon"\. The kinds are: rabbitmq, nats/,
    ],
    [
      'what is neither a transport nor a package',
      {},
      'htpp',
      /--transport must be .*: tcp, http, .*, or the module of a transport of your own; it is "htpp"/,
    ],
  ])) {
    it(
      `is refused before anything starts: ${what}`,
      inAWorkplace(async (workplace) => {
        for (const [name, text] of Object.entries(files)) {
          await mkdir(dirname(workplace.file(name)), {recursive: true});
          await writeFile(workplace.file(name), text);
        }
        const {code, stdout, stderr} = await run(workplace, ['--transport', named, ...short]);
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''}, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }),
    );
  }
});

describe('a transport that is not part of perf-battle, on other hosts', {timeout: 600_000}, () => {
  const network = hostsWithCaches(['alpha', 'beta']);
  const workplace = eachInAWorkplace();

  it('goes along, with its package', async () => {
    await cp(example, workplace().file('lines'), {recursive: true});
    const environment = {PB_SSH_CONFIG: network().sshConfig};
    const words = ['--transport', './lines', '--server-on', 'alpha', '--client-on', 'beta', ...short];
    const {code, stderr} = await run(workplace(), words, environment);
    assert.equal(code, 0, stderr);
    const cells = await workplace().cells();
    assert.deepEqual(
      cells.map(({transport, outcome}) => [transport, outcome]),
      [
        ['tcp', 'completed'],
        ['lines', 'completed'],
      ],
    );
    assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
  });
});
