import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {faults} from '../../../src/api/index.js';
import {devicesIn} from '../support/devices.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertOutage} from '../support/run-faults.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

const short = ['--restart-after', '200ms', '--json'];

/** @param {string} stdout @returns {{faults: any, rows: (Conclusion & {tries: never})[]}} */
function documentIn(stdout) {
  return JSON.parse(stdout);
}

describe('faults', {timeout: 1_200_000}, () => {
  it(
    'shows what RabbitMQ keeps of what it confirmed, after a crash and after power cuts',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'rabbitmq', '--tries', '2', ...short];
      const {code, stdout, stderr} = await workplace.start('battle', words, {}, {patienceMs: 600_000}).ended;
      assert.equal(code, 0, stderr);
      const {rows, faults} = documentIn(stdout);
      assert.deepEqual(faults.notTried, []);
      const found = Object.fromEntries(
        rows.map(({row, class: name, faults: own}) => {
          const {deliveryMode, confirms} = /** @type {any} */ (row.variant);
          const outcomes = own.map(({fault, outcome}) => `${fault} ${outcome}`);
          return [`mode ${deliveryMode}, ${confirms ? 'confirms' : 'none'}`, {name, outcomes}];
        }),
      );
      const lost = ['kill-broker lost', 'power-loss lost'];
      assert.deepEqual(found, {
        'mode 1, none': {name: 'fire and forget', outcomes: lost},
        'mode 1, confirms': {name: 'in memory', outcomes: lost},
        'mode 2, none': {name: 'fire and forget', outcomes: lost},
        'mode 2, confirms': {
          name: 'on disk before the acknowledgement',
          outcomes: ['kill-broker kept', 'power-loss kept'],
        },
      });
      const orders = rows.map(({evidence}) => evidence?.flushOrder);
      assert.deepEqual(
        orders,
        [null, null, null, 'before'],
        'strace shows it of a broker that flushes each message',
      );
      const entries = await workplace.journal();
      assert.equal(entries.filter(({kind}) => kind === 'faults').length, 4);
      const done = entries.filter(({kind}) => kind === 'fault');
      assert.equal(done.length, 8, 'each fault of each row is stored when it was done');
      for (const {found: one} of done) {
        for (const {account} of one.tries) {
          if (account === null) continue;
          assert.equal(account.sent, account.received + account.lost);
          assert.ok(account.sent > 200, `${account.sent} messages`);
        }
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'measures the outage of a server that is killed, and what was in flight is lost unless it is sent again',
    inAWorkplace(async (workplace) => {
      const transports = ['--transport', 'http,websocket', '--http-server', 'node'];
      const words = ['faults', ...transports, '--fault', 'kill-server', '--tries', '1'];
      const once = await workplace.battle([...words, ...short]);
      assert.equal(once.code, 0, once.stderr);
      for (const {row, faults: own, class: name} of documentIn(once.stdout).rows) {
        const [{outageMs, restartMs, of}] = own;
        assert.equal(name, 'not stored');
        assert.ok(Number(restartMs) >= 200);
        assertOutage(outageMs, Number(restartMs), row.transport);
        assert.ok(Number(outageMs) < Number(restartMs) + 10_000, `${row.transport}: ${outageMs} ms`);
        assert.ok(Number(of) > 150, `${row.transport}: ${of} requests`);
      }
      const again = await workplace.battle([...words, '--resend', ...short]);
      assert.equal(again.code, 0, again.stderr);
      for (const {row, faults: own} of documentIn(again.stdout).rows)
        assert.deepEqual([row.transport, own[0].outcome, own[0].lost], [row.transport, 'kept', 0]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'shows that a client with two servers goes on with the other one',
    inAWorkplace(async (workplace) => {
      const words = [
        '--transport',
        'tcp,http',
        '--servers',
        '2',
        '--http-server',
        'node',
        '--fault',
        'kill-server',
        '--tries',
        '1',
      ];
      const {code, stdout, stderr} = await workplace.battle([
        'faults',
        ...words,
        ...['--restart-after', '1500ms', '--resend', '--json'],
      ]);
      assert.equal(code, 0, stderr);
      for (const {row, faults: own} of documentIn(stdout).rows) {
        const [{outageMs, restartMs, lost}] = own;
        assert.equal(lost, 0, row.transport);
        assert.ok(Number(restartMs) >= 1500);
        assert.ok(
          Number(outageMs) < Number(restartMs),
          `${row.transport}: ${outageMs} ms, although another server was there`,
        );
      }
    }),
  );

  it(
    'does the same through brokers that are killed or stand still',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'nats', '--fault', 'kill-broker,pause-broker', '--tries', '1'];
      const {code, stdout, stderr} = await workplace.battle([...words, '--resend', ...short]);
      assert.equal(code, 0, stderr);
      const [{faults: own}] = documentIn(stdout).rows;
      assert.deepEqual(
        own.map(({fault, outcome}) => `${fault} ${outcome}`),
        ['kill-broker kept', 'pause-broker kept'],
      );
      for (const {fault, outageMs, restartMs} of own) {
        assert.ok(Number(restartMs) >= 200);
        assertOutage(outageMs, Number(restartMs), fault);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'kills one node of a cluster, a minority and a majority of it, and the client goes on with another node',
    inAWorkplace(async (workplace) => {
      const words = ['--transport', 'rabbitmq', '--broker-nodes', '3', '--delivery-mode', '2'];
      const faults = ['--rabbitmq-confirms', 'on', '--fault', 'kill-node,minority,majority', '--tries', '1'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['faults', ...words, ...faults, '--restart-after', '8s', '--resend', '--json'],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      const [{faults: own, guarantee, evidence}] = documentIn(stdout).rows;
      assert.equal(guarantee, 'on disk before the acknowledgement, replicated on 3');
      assert.equal(evidence?.replicas, 3);
      assert.deepEqual(
        own.map(({outcome}) => outcome),
        ['kept', 'kept', 'kept'],
      );
      const [one, few, most] = own.map(({outageMs}) => Number(outageMs));
      assert.ok(most >= 8000, `${most} ms without a majority`);
      assert.ok(one < 8000 && few < 8000, `${one} and ${few} ms, although two nodes were there`);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'keeps what was confirmed through a stop, a pause, a full disk and cut connections, with transactions, too',
    inAWorkplace(async (workplace) => {
      const settings = ['--delivery-mode', '2', '--rabbitmq-confirms', 'on', '--rabbitmq-tx', 'off,on'];
      const all = ['stop-broker', 'pause-broker', 'fill-disk', 'memory-alarm', 'cut-connection'];
      const words = [
        '--transport',
        'rabbitmq',
        ...settings,
        '--fault',
        all.join(),
        '--tries',
        '1',
        '--resend',
      ];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['faults', ...words, ...short],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /The broker takes no messages: .*disk/);
      assert.match(stderr, /The broker takes no messages: .*memory/);
      const {rows} = documentIn(stdout);
      assert.equal(rows.length, 2);
      for (const {faults: own, sentence} of rows) {
        assert.deepEqual(
          own.map(({fault, outcome}) => `${fault} ${outcome}`),
          all.map((fault) => `${fault} kept`),
        );
        for (const {fault, found} of own) {
          const {account, outage} = found[0];
          assert.ok(account && outage);
          assert.deepEqual([fault, account.refused, account.lost], [fault, 0, 0]);
          assert.equal(account.confirmed, account.sent);
        }
        const alarms = Object.fromEntries(own.map(({fault, alarm}) => [fault, alarm]));
        assert.match(alarms['fill-disk'] ?? '', /disk/);
        assert.match(alarms['memory-alarm'] ?? '', /memory/);
        assert.equal(alarms['pause-broker'], undefined);
        assert.match(
          sentence,
          /^survived stop-broker and pause-broker and fill-disk and memory-alarm and cut-connection/,
        );
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'loses what a killed consumer had acknowledged by its delivery, and delivers again what it had not',
    inAWorkplace(async (workplace) => {
      const settings = ['--delivery-mode', '2', '--rabbitmq-confirms', 'on', '--rabbitmq-ack', 'auto,manual'];
      const words = ['faults', '--transport', 'rabbitmq', ...settings, '--fault', 'kill-consumer'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--tries', '3', ...short],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      const {rows} = documentIn(stdout);
      assert.deepEqual(
        rows.map(({row}) => row.variant.acknowledgement),
        ['auto', 'manual'],
      );
      const [automatic, manual] = rows.map(({faults: [{outcome, outageEnd, account, found}]}) => {
        assert.equal(outageEnd, 'ended');
        assert.ok(account && account.sent > 200);
        assert.deepEqual([account.confirmed, account.received + account.lost], [account.sent, account.sent]);
        const again = found.map(({arrival}) => Number(arrival?.duplicated ?? 0));
        return {outcome, account, duplicated: again.reduce((sum, count) => sum + count, 0)};
      });
      assert.equal(automatic.outcome, 'lost');
      assert.ok(automatic.account.confirmedLost > 0);
      assert.deepEqual([automatic.account.acknowledged, automatic.duplicated], [0, 0]);
      assert.deepEqual([manual.outcome, manual.account.lost], ['kept', 0]);
      const {acknowledged, sent} = manual.account;
      assert.ok(Number(acknowledged) > sent / 2, `${acknowledged} of ${sent}`);
      for (const {class: name} of rows) assert.equal(name, 'on disk before the acknowledgement');
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'leaves dead what it killed, if it is to: a second server serves on, and the outage of the only one has no end',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'tcp', '--servers', '1,2', '--fault', 'kill-server'];
      const {code, stdout, stderr} = await workplace.battle([
        ...words,
        '--respawn',
        'off',
        '--resend',
        ...short,
      ]);
      assert.equal(code, 0, stderr);
      const [one, two] = documentIn(stdout).rows;
      assert.deepEqual(
        [one, two].map(({faults: [{tries, outageEnd, restartMs}]}) => [tries, outageEnd, restartMs]),
        [
          [1, 'open', null],
          [1, 'ended', null],
        ],
      );
      assert.match(one.sentence, /the outage of kill-server has no end$/);
      assert.equal(two.faults[0].lost, 0);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'reads the queue of a broker that stayed down, which it starts for that, and for the next fault',
    inAWorkplace(async (workplace) => {
      const settings = ['--delivery-mode', '2', '--rabbitmq-confirms', 'on', '--respawn', 'off'];
      const words = ['faults', '--transport', 'rabbitmq', ...settings, '--fault', 'kill-broker,stop-broker'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, ...short],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      const [{faults: own}] = documentIn(stdout).rows;
      assert.deepEqual(
        own.map(({fault, outcome, outageEnd}) => [fault, outcome, outageEnd]),
        [
          ['kill-broker', 'kept', 'open'],
          ['stop-broker', 'kept', 'open'],
        ],
      );
      for (const {of} of own) assert.ok(Number(of) > 200, `${of} messages`);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'prints a table, a sentence for each row, and the limits of what was tried',
    inAWorkplace(async (workplace) => {
      // A battle with a fault is the same, and one with a time is done once.
      const words = ['--transport', 'websocket', '--fault', 'kill-server@500ms,slow-consumer@100ms-600ms'];
      const {code, stdout} = await workplace.battle([...words, '--restart-after', '300ms']);
      assert.equal(code, 0);
      assert.match(stdout, /^Row +Class +.*kill-server +slow-consumer/m);
      assert.match(stdout, /^Web Sockets: /m);
      const done = (await workplace.journal()).filter(({kind}) => kind === 'fault');
      assert.deepEqual(
        done.map(({found}) => [found.fault, found.tries.length]),
        [
          ['kill-server', 1],
          ['slow-consumer', 1],
        ],
      );
      const [{found: killed}] = done;
      assert.ok(killed.tries[0].account.sent > 200);
    }),
  );

  it(
    'does the same for a program, which also gets what was not allowed',
    inAWorkplace(async (workplace) => {
      /** @type {string[]} */
      const lines = [];
      const results = workplace.file('results.md');
      const settings = {transport: 'tcp', fault: 'pause-server@300ms', restartAfter: '300ms', results};
      const document = await faults(settings, {onNote: (line) => lines.push(line)});
      const [{faults: own, row, class: name}] = document.rows;
      assert.deepEqual(
        [row.transport, name, own[0].fault, own[0].outcome],
        ['tcp', 'not stored', 'pause-server', 'kept'],
      );
      assertOutage(own[0].outageMs, 300);
      assert.match(lines.join('\n'), /^pause-server: TCP$/m);
      const stored = (await workplace.journal()).filter(({kind}) => kind === 'faults');
      assert.deepEqual(
        stored.map(({runId}) => runId),
        [document.faults.runId],
      );
      await assert.rejects(faults({fault: 'kill-node', transport: 'tcp'}), {
        name: 'UsageError',
        message: /no row has a cluster/,
      });
      await assert.rejects(
        faults(/** @type {any} */ ({rounds: 3})),
        /"rounds" is not a setting of faults\(\)/,
      );
      await assert.rejects(
        faults({transport: 'tcp'}, {signal: AbortSignal.abort(new Error('enough'))}),
        /enough/,
      );
    }),
  );

  it(
    'repeats a published experiment: calls go on with the other server',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['--preset', 'endurox-ha-servers', '--tries', '1'],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^mode 1, 2 servers +not stored .* 0 of \d+ +[\d.]+$/m);
      assert.match(stdout, /^Published: Enduro\/X vs RabbitMQ/m);
    }),
  );

  it(
    'writes a page on the run and its charts, where it is asked to',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'tcp', '--fault', 'kill-server', '--tries', '1'];
      const files = ['--page', 'page.html', '--folder', 'charts'];
      const {code, stdout, stderr} = await workplace.battle([...words, ...files, '--restart-after', '100ms']);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^page\.html: \d+ kB\.\ncharts\/row-1-kill-server\.svg\n$/m);
      const page = await readFile(workplace.file('page.html'), 'utf8');
      assert.match(page, /^<!doctype html>/);
      assert.match(
        page,
        /<h1>TCP: .* requests had (?:no|a) reply under kill-server, outage \d+\.\d\d s<\/h1>/,
      );
      assert.match(page, /<figure id="row-1-kill-server" class="main">/);
      const parts = [...page.matchAll(/<title>TCP, [^<]*: \d[\d.]* good replies\/s[^<]*<\/title>/g)];
      assert.ok(parts.length > 40, `${parts.length} parts of two layouts`);
      assert.ok(parts.some(([text]) => text.endsWith(', during kill-server</title>')));
      const [, sent, answered] =
        /<td class="text id">1 of 1<\/td><td class="text id">all<\/td><td>(\d+)<\/td><td>(\d+)<\/td>/.exec(
          page,
        ) ?? [];
      assert.ok(Number(sent) > 200 && Number(answered) > 200, `${sent} sent, ${answered} answered`);
      assert.match(page, /<dt>--restart-after<\/dt><dd>100ms<\/dd>/);
      assert.match(page, /<dt>CPU<\/dt><dd>./);
      const chart = await readFile(workplace.file('charts/row-1-kill-server.svg'), 'utf8');
      assert.match(chart, /^<svg .*TCP, kill-server: outage .*<\/svg>\n$/s);
      // Afterwards, the journal gives the same page and the same table.
      assert.equal((await workplace.battle(['report'])).code, 0);
      const again = await readFile(workplace.file('report.html'), 'utf8');
      const upTo = (/** @type {string} */ text) => text.slice(0, text.indexOf('id="environment"'));
      assert.ok(upTo(page).length > 1000);
      assert.equal(upTo(again), upTo(page));
      assert.match(again, /<dt>--restart-after<\/dt><dd>100ms<\/dd>/);
      const {stdout: table} = await workplace.battle(['table']);
      assert.match(table, /^TCP +not stored .* of \d+ +[\d.]+$/m);
      const {stdout: json} = await workplace.battle(['table', '--json']);
      assert.equal(JSON.parse(json).rows[0].faults[0].fault, 'kill-server');
    }),
  );

  it(
    'says what is stored when it is interrupted, and shows that',
    inAWorkplace(async (workplace) => {
      const faults = ['--fault', 'kill-server,pause-server', '--restart-after', '100ms', '--tries', '1'];
      const program = workplace.start('battle', ['faults', '--transport', 'tcp', ...faults]);
      while (!program.output().includes('pause-server: ')) {
        if (program.child.exitCode !== null) throw new Error(program.output());
        await sleep(50);
      }
      program.child.kill('SIGINT');
      const {code, stderr} = await program.ended;
      assert.equal(code, 130);
      assert.match(
        stderr,
        /Interrupted by SIGINT\. The finished fault of a row is stored in \S*results\.ndjson\. .* perf-battle table\n/,
      );
      const {code: shown, stdout} = await workplace.battle(['table']);
      assert.equal(shown, 0);
      assert.match(stdout, /^The run of faults \w+ was interrupted, or still runs\.$/m);
      assert.match(stdout, /^TCP .* of \d+ +[\d.]+$/m);
    }),
  );

  it(
    'refuses files that cannot be written before anything starts',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('notes.md'), '# Mine\n');
      for (const {files, exitCode, message} of [
        {files: ['--page', 'notes.md'], exitCode: 2, message: /notes\.md is not an HTML page/},
        {files: ['--page', 'no/page.html'], exitCode: 1, message: /Cannot write no\/page\.html/},
        {files: ['--folder', 'notes.md'], exitCode: 1, message: /Cannot write notes\.md/},
      ]) {
        const {code, stdout, stderr} = await workplace.battle(['faults', '--transport', 'tcp', ...files]);
        assert.deepEqual({code, stdout}, {code: exitCode, stdout: ''}, stderr);
        assert.match(stderr, message);
      }
      assert.equal(await readFile(workplace.file('notes.md'), 'utf8'), '# Mine\n');
    }),
  );

  for (const [what, words, message] of /** @type {const} */ ([
    [
      'a fault without a target',
      ['--transport', 'rabbitmq', '--fault', 'kill-server'],
      /--fault kill-server has no target here/,
    ],
    ['a fault that is not known', ['--fault', 'kill-brokr'], /kill-broker/],
    ['payloads without room for a number', ['--payload', '8'], /16 bytes/],
    ['several payloads', ['--payload', '1kb,2kb'], /one payload size/],
    [
      'a search for a rate',
      ['--transport', 'http', '--workload', 'max-rate'],
      /it was given max-rate\. A search .* choose a fixed rate with --rate/,
    ],
    [
      'rows of requests that have none',
      ['--transport', 'http', '--rows', '8'],
      /--rows 8 has no effect here: it needs the workload recordset/,
    ],
    [
      'the size of payloads where rows are asked for',
      ['--transport', 'http', '--workload', 'recordset', '--payload', '2kb'],
      /--payload 2kb has no effect here/,
    ],
    [
      'a queue where there is none',
      ['--transport', 'http', '--workload', 'queue'],
      /--workload queue is not supported by --transport http/,
    ],
    [
      'nodes without a cluster',
      ['--transport', 'rabbitmq', '--fault', 'kill-node'],
      /--fault kill-node has no target here: no row has a cluster/,
    ],
    ['a fault twice', ['--fault', 'kill-server@1s,kill-server@2s'], /names kill-server twice/],
    ['times in the wrong order', ['--fault', 'kill-server@2s-1s'], /a range of times/],
    ['a range of times without an end', ['--fault', 'kill-server@1s-'], /a range of times/],
    ['a range of times whose end is none', ['--fault', 'kill-server@1s-soon'], /a range of times/],
    [
      'a minority of which no node can be part',
      ['--transport', 'rabbitmq', '--broker-nodes', '2', '--fault', 'minority'],
      /--fault minority has no target here: no row has a cluster of enough nodes/,
    ],
    [
      'a preset with a transport that its fault cannot be done to',
      ['--preset', 'endurox-ha-main', '--transport', 'http'],
      /kill-broker, which --preset endurox-ha-main does, has no target here: no row has a broker/,
    ],
    ['the preset of a battle', ['--preset', 'coralmq'], /--preset must be endurox-ha-main or/],
    ['several rates', ['--rate', '5,6'], /one --rate/],
    [
      'a server that it did not start',
      ['--url', 'http=http://127.0.0.1:1/'],
      /harms only servers and brokers that it has started/,
    ],
    [
      'a search for the highest rate',
      ['--find-max-rate', '5ms'],
      /does not take --find-max-rate\. A search .* takes a fault for a rate that is too high/,
    ],
    ['what has no effect on it', ['--rounds', '3'], /does not take --rounds/],
    [
      'clients on another host',
      ['--client-on', 'alpha'],
      /does not take --client-on\. Its clients are on this host/,
    ],
  ])) {
    it(
      `refuses ${what}, before anything starts`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle(['faults', ...words]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
  }

  it(
    'takes the place of a battle that --preset or PB_PRESET makes one of faults, and of no other',
    inAWorkplace(async (workplace) => {
      const once = ['--tries', '1', '--dry-run'];
      const preset = {PB_PRESET: 'endurox-ha-main'};
      const expected = /^kill-broker .*, once: RabbitMQ mode 1$/m;
      for (const {words, environment = {}} of [
        {words: ['--preset', 'endurox-ha-main', ...once]},
        {words: ['--preset=endurox-ha-main', ...once]},
        {words: once, environment: preset},
      ]) {
        const {code, stdout, stderr} = await workplace.battle(words, environment);
        assert.equal(code, 0, stderr);
        assert.match(stdout, expected);
        assert.match(
          stdout,
          /^At least \d+ s, plus the starts of brokers and servers, and the reading of queues\.$/m,
        );
      }
      const named = ['--transport', 'tcp', '--machine', 'endurox-ha-main', '--dry-run'];
      const {code, stdout, stderr} = await workplace.battle(named);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^round 1: /m);
    }),
  );

  it(
    'prints the options that it takes as they are applied, and each timeout of its own',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'nats', '--fault', 'kill-server', '--print-config'];
      const {code, stdout, stderr} = await workplace.battle(words, {PB_TRIES: '2', PB_DURATION: '3s'});
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^--tries +PB_TRIES +2 +PB_TRIES$/m);
      assert.match(stdout, /^--timeout +PB_TIMEOUT +10s +default$/m);
      assert.match(stdout, /^--timeout +PB_TIMEOUT +2s +faults, for kill-server with nats$/m);
      assert.doesNotMatch(stdout, /^--(?:duration|client-on) /m);
      const preset = ['faults', '--preset', 'endurox-ha-servers', '--print-config', '--json'];
      const {settings} = JSON.parse((await workplace.battle(preset)).stdout);
      assert.deepEqual(settings.timeout, {value: 1000, origin: 'endurox-ha-servers'});
      assert.deepEqual(settings.preset, {value: 'endurox-ha-servers', origin: '--preset'});
    }),
  );

  for (const signal of /** @type {const} */ (['SIGINT', 'SIGKILL'])) {
    it(
      `leaves nothing when it is ended by ${signal} between power cuts`,
      inAWorkplace(async (workplace) => {
        const words = [
          'faults',
          '--transport',
          'rabbitmq',
          '--delivery-mode',
          '2',
          '--fault',
          'power-loss',
          '--tries',
          '50',
        ];
        const program = workplace.start('battle', words, {}, {patienceMs: 600_000});
        while (!program.output().includes('power-loss: ')) {
          if (program.child.exitCode !== null) throw new Error(program.output());
          await sleep(50);
        }
        await sleep(6000);
        program.child.kill(signal);
        const {code} = await program.ended;
        if (signal === 'SIGINT') assert.equal(code, 130);
        assert.deepEqual(await workplace.leftoversWithin(15_000), []);
        assert.deepEqual(await devicesIn(workplace.path), []);
      }),
    );
  }
});
