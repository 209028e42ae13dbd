import assert from 'node:assert/strict';
import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {processesOf} from '../brokers/leftovers.js';
import {runCommand} from './commands.js';
import {killIfRunning} from './kill-if-running.js';
import {environmentOf, start, usualPatienceMs} from './program.js';

/**
 * @import {CellRecord} from '../../../src/results/record-schema.js'
 * @import {Entry} from '../../../src/results/types.js'
 * @import {Ended, Program} from './program.js'
 */

/**
 * A folder in which a test works, with a folder for temporary files. Every process started here has the path in its environment or on
 * its command line, including grandchildren whose parents have ended. So the test can find processes that are left.
 */
export class Workplace {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.temporary = join(path, 'tmp');
    /** @type {Program[]} */
    this.programs = [];
    this.life = new AbortController();
  }

  static async make() {
    const workplace = new Workplace(await mkdtemp(join(tmpdir(), 'perf-battle-integration-')));
    await mkdir(workplace.temporary);
    return workplace;
  }

  /** @param {string} name of a file in here */
  file(name) {
    return join(this.path, name);
  }

  /** @param {string} name of a file in here @param {[string, string]} change what must be in it, and what comes in its place */
  async edit(name, change) {
    const text = await readFile(this.file(name), 'utf8');
    assert.ok(text.includes(change[0]), `${name} has ${change[0]}`);
    await writeFile(this.file(name), text.replace(...change));
  }

  /**
   * The name of a script below src, the path of another, or battle for the binary.
   * @param {string} script
   * @param {string[]} [parameters]
   * @param {NodeJS.ProcessEnv} [environment]
   * @param {{patienceMs?: number, wrapper?: string[], node?: string}} [more]
   * @returns {Program}
   */
  start(script, parameters = [], environment = {}, more = {}) {
    const place = {cwd: this.path, temporary: this.temporary, environment, ...more};
    const program = start(script, parameters, place);
    this.programs.push(program);
    return program;
  }

  /**
   * @param {string} script
   * @param {string[]} [parameters]
   * @param {NodeJS.ProcessEnv} [environment]
   * @returns {Promise<Ended>}
   */
  run(script, parameters, environment) {
    return this.start(script, parameters, environment).ended;
  }

  /**
   * Runs a command to its end, in a process that runs other tests' commands too. Start the binary where its process matters: its signals, its
   * terminal, what is left when it is killed.
   * @param {string[]} [words]
   * @param {NodeJS.ProcessEnv} [environment]
   * @returns {Promise<Ended>}
   */
  battle(words = [], environment = {}) {
    const place = {cwd: this.path, temporary: this.temporary, environment};
    const signal = AbortSignal.any([this.life.signal, AbortSignal.timeout(usualPatienceMs)]);
    return runCommand({words, cwd: this.path, environment: environmentOf(place)}, signal);
  }

  /** Every line of the journal; each must be complete. @returns {Promise<Entry[]>} */
  async journal(name = 'results.ndjson') {
    const text = await readFile(this.file(name), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Waits until a battle that runs has written its first trial. @param {Program} battle */
  async untilFirstTrial(battle) {
    const isWritten = async () => {
      const text = await readFile(this.file('results.ndjson'), 'utf8').catch(() => '');
      return text.includes('"kind":"trial"');
    };
    while (!(await isWritten())) {
      if (battle.child.exitCode !== null) throw new Error(`The battle ended:\n${battle.output()}`);
      await sleep(20);
    }
  }

  /** @returns {Promise<CellRecord[]>} */
  async cells(name = 'results.ndjson') {
    return /** @type {any[]} */ ((await this.journal(name)).filter(({kind}) => kind === 'cell'));
  }

  /** The lines of the results table's body. */
  async rows(name = 'results.md') {
    const lines = (await readFile(this.file(name), 'utf8')).split('\n');
    const delimiter = lines.findIndex((line) => /^\|? *:?-+:? *\|/.test(line));
    return lines.slice(delimiter + 1).filter((line) => line.startsWith('|'));
  }

  /** All running processes that were started here, including those of programs that have ended. */
  processes() {
    return processesOf(this.path);
  }

  /** The processes that still run, and the remaining temporary files. @returns {Promise<string[]>} */
  async leftovers() {
    const processes = (await this.processes()).map(({pid, command}) => `process ${pid} ${command}`);
    return [...processes, ...(await readdir(this.temporary)).map((name) => `folder ${name}`)];
  }

  /** @param {number} ms @returns {Promise<string[]>} empty, or what is left after that time */
  async leftoversWithin(ms) {
    const deadline = Date.now() + ms;
    for (;;) {
      const left = await this.leftovers();
      if (left.length === 0 || Date.now() >= deadline) return left;
      await sleep(100);
    }
  }

  /** Ends the processes that the test did not end, and removes the folder. */
  async clear() {
    for (const program of this.programs) program.child.kill('SIGKILL');
    this.life.abort();
    await this.leftoversWithin(8000);
    for (const {pid} of await this.processes()) killIfRunning(pid);
    await rm(this.path, {recursive: true, force: true, maxRetries: 5});
  }
}
