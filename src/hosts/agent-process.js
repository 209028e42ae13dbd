/**
 * The agent of a battle on another host. It starts the roles of that host and relays their pipes, so that one ssh session carries all of them.
 *
 * It reads commands on stdin and writes events on stdout (agent.js). It ends all roles, and itself, when its input ends or is silent
 * for 5 s. If it is killed, the end of their input ends the roles.
 */
import {createInterface} from 'node:readline';
import {setImmediate as turn} from 'node:timers/promises';
import {endUnheard} from '../ending/end-process.js';
import {HeartbeatTimeout, heartbeatEveryMs} from '../ending/heartbeat.js';
import {endInSteps} from './child-process.js';
import {spawnRole} from './local.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {AgentCommand, AgentEvent, StartRole} from './types.js'
 */

/** A role whose control channel has ended ends by itself within 5 s. */
const graceMs = 6000;

/** @type {Map<number, ChildProcessWithoutNullStreams>} those that run, by their id */
const roles = new Map();

const heartbeat = new HeartbeatTimeout(endAll);
setInterval(() => report({event: 'beat'}), heartbeatEveryMs);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, endAll);
// A battle that ended reads no more. The end of stdin shows that it ended.
process.stdout.on('error', () => {});
/** The commands, one after the other. */
let obeyed = Promise.resolve();
createInterface({input: process.stdin})
  .on('line', (line) => {
    heartbeat.heard();
    obeyed = obeyed.then(() => obey(JSON.parse(line)));
  })
  .on('close', endAll);

/** @param {AgentCommand} command */
async function obey(command) {
  switch (command.command) {
    case 'start':
      start(command);
      // The start of a process blocks this one, on a busy host for long. Between two of them it has other work.
      return await turn();
    case 'write':
      return void roles.get(command.id)?.stdin.write(command.text);
    case 'end':
      return void roles.get(command.id)?.stdin.end();
    case 'kill':
      return void roles.get(command.id)?.kill(command.signal);
  }
}

/** @param {StartRole} command */
function start({id, script, words = [], cores, keepMemory}) {
  const role = spawnRole(new URL(`../../${script}`, import.meta.url), {words, cores, keepMemory});
  roles.set(id, role);
  for (const event of /** @type {const} */ (['stdout', 'stderr']))
    role[event].setEncoding('utf8').on('data', (text) => report({event, id, text}));
  role.once('error', ({message}) => report({event: 'error', id, message}));
  role.once('close', (code, signal) => {
    roles.delete(id);
    report({event: 'close', id, code, signal});
  });
}

async function endAll() {
  heartbeat.end();
  await Promise.all([...roles.values()].map(endRole));
  endUnheard();
}

/** @param {ChildProcessWithoutNullStreams} role */
async function endRole(role) {
  const closed = new Promise((resolve) => role.once('close', resolve));
  await endInSteps(closed, [() => role.stdin.end(), () => role.kill('SIGKILL')], graceMs);
}

/** @param {AgentEvent} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
