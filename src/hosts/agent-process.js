/**
 * The agent of a battle on another host. It starts the roles on that host and relays their pipes over one ssh session.
 *
 * The agent reads commands on stdin and writes events on stdout (agent.js). When its input ends or is silent for 5 s, the agent ends all roles and
 * itself. If the agent is killed, the roles end because their input ends.
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

/** A role ends by itself within 5 s after its control channel has ended. */
const graceMs = 6000;

/** @type {Map<number, ChildProcessWithoutNullStreams>} running roles by id */
const roles = new Map();

const heartbeat = new HeartbeatTimeout(endAll);
setInterval(() => report({event: 'beat'}), heartbeatEveryMs);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, endAll);
// A battle that has ended reads no events. The end of stdin shows that it has ended.
process.stdout.on('error', () => {});
/** Settles when all commands received so far were obeyed. */
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
      // Starting a process blocks this one, for long on a busy host. Between two starts, the agent must handle other events.
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
