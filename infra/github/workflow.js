import {appendFileSync, readFileSync} from 'node:fs';

/**
 * What GitHub says of a run in variables and files, and what it reads: docs.github.com, "Variables reference" and "Workflow commands".
 */

/**
 * A variable that the action or GitHub sets.
 * @param {string} name
 * @returns {string} empty if it is not set
 */
export function variable(name) {
  return process.env[name] ?? '';
}

/**
 * @template {string} Choice
 * @param {string} name of an input, whose variable has it in capitals
 * @param {readonly Choice[]} choices
 * @returns {Choice}
 * @throws {Error} when it is none of them
 */
export function oneOf(name, choices) {
  const value = variable(name.toUpperCase().replaceAll('-', '_'));
  const choice = choices.find((one) => one === value);
  if (choice === undefined)
    throw new Error(`The input ${name} must be ${choices.join(' or ')}; it is ${JSON.stringify(value)}.`);
  return choice;
}

/** @param {string} name of an input */
export function isTrue(name) {
  return oneOf(name, ['true', 'false']) === 'true';
}

/** What started the run, as GitHub describes it. @returns {any} */
function event() {
  const path = variable('GITHUB_EVENT_PATH');
  return path === '' ? {} : JSON.parse(readFileSync(path, 'utf8'));
}

/** @returns {number | null} the number of the pull request that the run belongs to */
export function pullRequestNumber() {
  return event().pull_request?.number ?? null;
}

/** The commit that is measured. GitHub merges a pull request before it is measured, so it is known by its head. @returns {string} */
export function measuredCommit() {
  return event().pull_request?.head?.sha ?? variable('GITHUB_SHA');
}

/** @returns {string | null} */
export function defaultBranch() {
  return event().repository?.default_branch ?? null;
}

/** A run for a pull request from elsewhere may have the default branch as its ref, so other events are left out. */
const eventsOfBranches = ['push', 'schedule', 'workflow_dispatch'];

/** Whether the run measures the default branch. */
export function isOfDefaultBranch() {
  return (
    eventsOfBranches.includes(variable('GITHUB_EVENT_NAME')) &&
    variable('GITHUB_REF') === `refs/heads/${defaultBranch()}`
  );
}

/** @param {string} name @param {string} value on one line */
export function setOutput(name, value) {
  appendFileSync(variable('GITHUB_OUTPUT'), `${name}=${value.replace(/[\r\n]/g, ' ')}\n`);
}

/** @param {string} markdown */
export function addSummary(markdown) {
  appendFileSync(variable('GITHUB_STEP_SUMMARY'), `${markdown}\n\n`);
}

/** An annotation of the run. @param {'notice' | 'warning' | 'error'} level @param {string} message */
export function annotate(level, message) {
  process.stdout.write(`::${level} title=perf-battle::${message.replace(/[%\r\n]/g, encodeURIComponent)}\n`);
}

/** An answer of GitHub that is no success. */
export class RefusedError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * Asks GitHub's API on the repository of the run.
 * @param {string} path below that of the repository
 * @param {{token: string, method?: string, body?: object}} request
 * @returns {Promise<any>}
 * @throws {RefusedError} when GitHub refuses
 */
export async function askGithub(path, {token, method = 'GET', body}) {
  const url = `${variable('GITHUB_API_URL')}/repos/${variable('GITHUB_REPOSITORY')}${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(body && {body: JSON.stringify(body)}),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) {
    const {pathname} = new URL(url);
    throw new RefusedError(`GitHub answered ${response.status} to ${method} ${pathname}`, response.status);
  }
  return await response.json();
}

/** @param {unknown} error @returns {string} its message, with that of its cause */
export function messageOf(error) {
  const {message, cause} = /** @type {Error & {cause?: Error}} */ (error);
  return [message, cause?.message].filter(Boolean).join(': ');
}

/**
 * Runs a script of the action to its end, and sets the exit code.
 * @param {() => Promise<number>} script returns the exit code
 */
export async function runScript(script) {
  try {
    process.exitCode = await script();
  } catch (error) {
    annotate('error', messageOf(error));
    process.exitCode = 1;
  }
}
