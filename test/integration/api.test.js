import assert from 'node:assert/strict';
import {cp, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from './support/each-in-a-workplace.js';

/** @import {Workplace} from './support/workplace.js' */

const root = fileURLToPath(new URL('../..', import.meta.url));

const short = "payload: '1kb', samples: 40, warmup: 10, rounds: 2, transport: 'websocket'";

/** As npm does for a dependency that is a folder. @param {Workplace} workplace */
async function install(workplace) {
  await mkdir(workplace.file('node_modules'));
  await symlink(root, workplace.file('node_modules/perf-battle'));
}

/** @param {Workplace} workplace @param {string} name @param {string} code @returns {Promise<{stdout: string, stderr: string}>} */
async function runCode(workplace, name, code) {
  await writeFile(workplace.file(name), code);
  const {code: exitCode, stdout, stderr} = await workplace.run(workplace.file(name));
  assert.equal(exitCode, 0, stderr);
  return {stdout, stderr};
}

/**
 * Runs a program that uses the package, in a process of its own.
 * @param {Workplace} workplace
 * @param {string} code
 * @returns {Promise<any>} the document that it prints
 */
async function runProgram(workplace, code) {
  await install(workplace);
  const imports = "import {battle, compare, readRecords, UsageError} from 'perf-battle';";
  const {stdout, stderr} = await runCode(workplace, 'program.mjs', `${imports}\n${code}\n`);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

describe('the package in another program', {concurrency: 2}, () => {
  it(
    'runs a battle with a transport of its own',
    inAWorkplace(async (workplace) => {
      await cp(join(root, 'examples/transports/lines'), workplace.file('lines'), {recursive: true});
      const {cells, message} = await runProgram(
        workplace,
        `const short = {payload: '1kb', samples: 40, warmup: 10, rounds: 1};
         const {cells} = await battle({...short, transport: './lines, tcp', linesEncoding: 'hex'});
         const {message} = await battle({...short, transport: './none'}).catch((error) => error);
         console.log(JSON.stringify({cells, message}));`,
      );
      assert.deepEqual(
        cells.map((/** @type {any} */ {transport, outcome, labels}) => [
          transport,
          outcome,
          ...labels.settings,
        ]),
        [
          ['tcp', 'completed'],
          ['lines', 'completed', 'hex'],
        ],
      );
      assert.match(message, /The transport \.\/none does not exist/);
    }),
  );

  it(
    'runs a battle with a transport that it has as an object, and names the one that does not say where it is',
    inAWorkplace(async (workplace) => {
      await cp(join(root, 'examples/transports/lines'), workplace.file('lines'), {recursive: true});
      const {cells, named, message} = await runProgram(
        workplace,
        `const {default: lines} = await import('./lines/index.js');
         const short = {payload: '1kb', samples: 20, warmup: 5, rounds: 1};
         const {cells} = await battle({...short, transports: [lines], transport: 'lines'});
         const {cells: named} = await battle({...short, transports: ['./lines'], transport: ['lines', 'websocket']});
         const {message} = await battle({transports: [{...lines, url: undefined}]}).catch((error) => error);
         console.log(JSON.stringify({cells, named, message}));`,
      );
      const completed = (/** @type {any[]} */ records) =>
        records.filter(({outcome}) => outcome === 'completed').map(({transport}) => transport);
      assert.deepEqual(completed(cells), ['tcp', 'lines']);
      assert.deepEqual(completed(named), ['tcp', 'lines', 'websocket']);
      assert.match(
        message,
        /^The transport "lines" does not say where its module is: .* url: import\.meta\.url/,
      );
    }),
  );

  it(
    'runs a battle, says what happens, prints nothing and writes no file',
    inAWorkplace(async (workplace) => {
      const {events, facts, cells} = await runProgram(
        workplace,
        `const running = battle({${short}});
         const events = [];
         for await (const event of running) events.push(event);
         const {battle: facts, cells} = await running;
         console.log(JSON.stringify({events, facts, cells}));`,
      );
      assert.deepEqual(await readdir(workplace.path), ['node_modules', 'program.mjs', 'tmp']);
      const shown = cells.map((/** @type {any} */ one) => [
        one.transport,
        one.rtt.samples,
        one.trials.length,
      ]);
      assert.deepEqual(shown, [
        ['tcp', 80, 2],
        ['websocket', 80, 2],
      ]);
      assert.equal(facts.id, cells[0].battleId);

      const of = (/** @type {string} */ type) =>
        events.filter((/** @type {any} */ event) => event.type === type);
      const rounds = of('round').map((/** @type {any} */ one) => [one.round, one.cells.length]);
      assert.deepEqual(rounds, [
        [1, 2],
        [2, 2],
      ]);
      assert.equal(of('trial').length, 4);
      assert.equal(of('trial-done').length, 4);
      for (const {cell, round, msPerMessage} of of('trial-done')) {
        const record = cells.find((/** @type {any} */ {id}) => id === cell.id);
        const trial = record.trials.find((/** @type {any} */ one) => one.round === round);
        assert.equal(msPerMessage, trial.meanMs);
        assert.equal(cell.payloadBytes, 1024);
      }
      assert.ok(of('note').some((/** @type {any} */ {text}) => /^Seed \d+\.$/.test(text)));
    }),
  );

  it(
    'stores results as the command does, reads them, and compares two battles',
    inAWorkplace(async (workplace) => {
      const {first, second, stored, byName, inMemory} = await runProgram(
        workplace,
        `const first = await battle({${short}, results: 'results.md'});
         const second = await battle({${short}, results: 'results.md', expect: 'websocket 1kb p50 < 10s'});
         const stored = await readRecords('results.md');
         const byName = await compare();
         const inMemory = await compare(first, second.cells);
         console.log(JSON.stringify({first, second, stored, byName, inMemory}));`,
      );
      assert.equal((await workplace.rows()).length, 4);
      const ids = (/** @type {any[]} */ cells) => cells.map(({id}) => id);
      assert.deepEqual(ids(stored), ids([...first.cells, ...second.cells]));
      assert.deepEqual(inMemory.cells, byName.cells);
      assert.deepEqual(
        byName.cells.map((/** @type {any} */ one) => [one.old, one.new]),
        ids(first.cells).map((id, index) => [id, second.cells[index].id]),
      );
      assert.ok(byName.cells.every((/** @type {any} */ {ratio}) => ratio > 0));
      assert.match(byName.old, new RegExp(`battle ${first.battle.id} of results.ndjson`));
      assert.deepEqual([inMemory.old, inMemory.new], ['old', 'new']);
      assert.equal(first.expectations, undefined);
      assert.equal(second.expectations.length, 1);
    }),
  );

  it(
    'ends a battle and its processes when the signal aborts, and keeps finished trials',
    inAWorkplace(async (workplace) => {
      const {finished, atTheEnd, message} = await runProgram(
        workplace,
        `const life = new AbortController();
         const running = battle({${short}, rounds: 200, results: 'results.md'}, {signal: life.signal});
         let finished = 0;
         let atTheEnd;
         try {
           for await (const {type} of running)
             if (type === 'trial-done' && ++finished === 3) life.abort(new Error('enough'));
         } catch (error) { atTheEnd = error.message; }
         const {message} = await running.catch((error) => error);
         console.log(JSON.stringify({finished, atTheEnd, message}));`,
      );
      assert.deepEqual([atTheEnd, message], ['enough', 'enough']);
      assert.deepEqual(await workplace.leftoversWithin(2000), []);
      const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
      assert.ok(finished >= 3 && trials.length >= 3);
    }),
  );

  it(
    'throws what cannot be done before anything starts; a failed cell is a record',
    inAWorkplace(async (workplace) => {
      const {refused, aborted, cells} = await runProgram(
        workplace,
        `const thrown = async (settings, control) => {
           const error = await battle(settings, control).catch((reason) => reason);
           return [error instanceof UsageError, error.message];
         };
         const refused = [];
         for (const settings of [{payload: '64q'}, {window: 16}, {export: 'hlog'}, {resume: true}])
           refused.push(await thrown(settings));
         const aborted = await thrown({}, {signal: AbortSignal.abort(new Error('never'))});
         const nowhere = {transport: 'rabbitmq', deliveryMode: 1, rabbitmqHost: '127.0.0.1', rabbitmqPort: 1};
         const {cells} = await battle({${short}, ...nowhere});
         console.log(JSON.stringify({refused, aborted, cells}));`,
      );
      const messages = [
        /^payload must be .*"64q"/,
        /^window 16 has no effect here: it needs/,
        /^export needs a results file/,
        /^resume needs a results file/,
      ];
      for (const [index, [isUsage, message]] of refused.entries()) {
        assert.match(message, messages[index]);
        assert.equal(isUsage, true, message);
      }
      assert.deepEqual(aborted, [false, 'never']);
      const outcomes = cells.map((/** @type {any} */ one) => [one.transport, one.outcome, one.error?.code]);
      assert.deepEqual(outcomes, [
        ['tcp', 'completed', undefined],
        ['rabbitmq', 'failed', 'PB_BROKER_UNAVAILABLE'],
      ]);
    }),
  );

  it(
    'does what the examples of docs/api.md do',
    inAWorkplace(async (workplace) => {
      await install(workplace);
      const page = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
      // Shorter than with quick.
      const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) =>
        code.replace('quick: true', 'samples: 40, warmup: 10, rounds: 1'),
      );
      assert.equal(examples.length, 4);
      // The last one compares two battles.
      const length = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
      await workplace.battle(['--transport', 'websocket', '--payload', '1kb', ...length]);
      const outputs = [];
      for (const [index, code] of examples.entries())
        outputs.push((await runCode(workplace, `example-${index}.mjs`, code)).stdout);
      assert.match(outputs[0], /^tcp \d+\.\d+ (?:valid|wide|suspect)\nhttp /);
      assert.equal(outputs[1].match(/^Web Sockets, 1kb 1 \d+(?:\.\d+)?$/gm)?.length, 1);
      assert.match(
        outputs[2],
        /^HTTP not stored kill-server: \d+ of \d+ requests had no reply$|^HTTP not stored each request was answered$/m,
      );
      assert.match(outputs[3], /^\d of 4 records are valid\n\[/);
    }),
  );
});
