import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync} from 'node:fs';
import {mkdir, mkdtemp, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/**
 * Runs the steps of a job, as far as they need nothing of GitHub: docs.github.com, "Workflow syntax" and "Metadata syntax".
 *
 * @typedef {Record<string, any>} Context what an expression reads, such as github, inputs and steps
 * @typedef {{id?: string, if?: string, run?: string, uses?: string, env?: Record<string, string>, with?: Record<string, string>}} Step
 *
 * @typedef {object} Job
 * @property {string} place a folder in which each step has its files
 * @property {string} workspace in which commands run
 * @property {Record<string, string | undefined>} environment of each command, beside what a step has
 * @property {(uses: string, given: Record<string, string>, job: Job) => Promise<number>} use what an action does; returns its exit code
 * @property {number[]} groups of processes that the steps started; whoever runs the job ends them
 * @property {string} log of all commands
 */

/**
 * @param {readonly Step[]} steps
 * @param {Context} context gets the outputs of the steps
 * @param {Job} job
 * @returns {Promise<number>} the exit code of the first step that failed, otherwise 0
 */
export async function runSteps(steps, context, job) {
  context.steps = {};
  let failure = 0;
  for (const step of steps) {
    const condition = step.if ?? 'success()';
    const always = condition.includes('always()');
    if (failure !== 0 && !always) continue;
    if (step.if !== undefined && !evaluate(condition, context)) continue;
    const {code, outputs} = await runStep(step, context, job);
    if (step.id !== undefined) context.steps[step.id] = {outputs};
    if (code !== 0 && failure === 0) failure = code;
  }
  return failure;
}

/** @param {Step} step @param {Context} context @param {Job} job */
async function runStep({run, uses, env = {}, with: given = {}}, context, job) {
  const filled = (/** @type {Record<string, string>} */ values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(String(value), context)]));
  if (uses !== undefined) return {code: await job.use(uses, filled(given), job), outputs: {}};
  const folder = await mkdtemp(join(job.place, 'step-'));
  const files = {output: join(folder, 'output'), script: join(folder, 'script.sh'), log: join(folder, 'log')};
  await writeFile(files.output, '');
  await writeFile(files.script, run ?? '');
  const log = openSync(files.log, 'w');
  // A process that the script leaves behind keeps its output open, so the end of the script counts. Its group has what it started.
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', files.script], {
    cwd: job.workspace,
    detached: true,
    stdio: ['ignore', log, log],
    env: {...job.environment, GITHUB_OUTPUT: files.output, ...filled(env)},
  });
  if (child.pid !== undefined) job.groups.push(child.pid);
  const [code] = await once(child, 'exit');
  closeSync(log);
  job.log += await readFile(files.log, 'utf8');
  const lines = (await readFile(files.output, 'utf8')).split('\n').filter((line) => line.includes('='));
  const outputs = Object.fromEntries(
    lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
  );
  return {code: code ?? 1, outputs};
}

/**
 * Runs a composite action.
 * @param {{inputs: Record<string, {default?: string}>, runs: {steps: Step[]}}} action
 * @param {Record<string, string>} given
 * @param {Context} github
 * @param {Job} job
 */
export async function runComposite({inputs, runs}, given, github, job) {
  const defaults = Object.entries(inputs).map(([name, input]) => [
    name,
    fill(String(input.default ?? ''), {github}),
  ]);
  return await runSteps(runs.steps, {github, inputs: {...Object.fromEntries(defaults), ...given}}, job);
}

/** @param {string} text @param {Context} context */
export function fill(text, context) {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression) => String(evaluate(expression, context) ?? ''));
}

/**
 * The part of the expressions that the workflows use: names, texts, ==, !=, && and ||.
 * @param {string} expression
 * @param {Context} context
 * @returns {any}
 */
function evaluate(expression, context) {
  for (const [operator, apply] of operators) {
    const at = expression.indexOf(operator);
    if (at === -1) continue;
    const [left, right] = [expression.slice(0, at), expression.slice(at + operator.length)];
    return apply(evaluate(left, context), evaluate(right, context));
  }
  const name = expression.trim();
  if (name === 'always()') return true;
  if (/^'.*'$/.test(name)) return name.slice(1, -1);
  if (!/^[a-z][\w.-]*$/i.test(name)) throw new Error(`The test cannot read the expression ${expression}`);
  return name.split('.').reduce((value, key) => value?.[key], context) ?? '';
}

/** The one that binds least first. @type {readonly [string, (one: any, other: any) => any][]} */
const operators = [
  ['||', (one, other) => one || other],
  ['&&', (one, other) => one && other],
  ['==', (one, other) => one === other],
  ['!=', (one, other) => one !== other],
];

/** @param {string} place a folder for the files of a job @returns {Promise<{place: string, workspace: string, temporary: string, home: string}>} */
export async function foldersOfJob(place) {
  const folders = {workspace: join(place, 'work'), temporary: join(place, 'temp'), home: join(place, 'home')};
  for (const path of Object.values(folders)) await mkdir(path, {recursive: true});
  return {place, ...folders};
}
