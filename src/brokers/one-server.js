import {randomBytes} from 'node:crypto';
import {basename, join} from 'node:path';
import {pickPorts} from '../net/listen.js';
import {homeOf} from './folder.js';
import {pathFolders} from './programs.js';
import {listenAddressOf, runToEnd, startServer} from './server-process.js';

/** @import {BrokerConnection, BrokerDriver, BrokerSettings, HostFolder, HostPlan, RunningHost} from './kind.js' */

/**
 * The driver of a broker that is one process.
 * @template {BrokerConnection} [Connection=any]
 * @typedef {Pick<BrokerDriver<Connection>, 'greet' | 'readAlarm' | 'withoutDiskSpace' | 'limitMemory' | 'removeLeft' | 'beginsMessage'> &
 *   Partial<Pick<BrokerDriver<Connection>, 'processName'>> &
 *   {command: Command, environment?: (folder: string) => Record<string, string>}} ServerDriver
 *   processName: default the name of its program;
 *   environment: variables in addition to those of every program; folder: the folder of the broker
 *
 * @typedef {(server: PlannedServer, run: Run) => readonly string[] | Promise<readonly string[]>} Command returns the
 *   arguments of the program; the function may write files into the folder
 *
 * @typedef {(title: string, command: string[], environment?: Record<string, string>) => Promise<void>} Run runs another
 *   program to its end before the start, in the folder; title: its name in messages;
 *   environment: variables in addition to those of every program
 *
 * @typedef {object} PlannedServer a private broker that is about to start
 * @property {string} hostname the name by which clients reach the broker
 * @property {string} address the only address that the broker may listen on
 * @property {number} port
 * @property {string} username the only user that the broker should accept
 * @property {string} password
 * @property {string} folder the broker's own folder, which is removed after its end
 * @property {string} data the folder for the data that the broker stores
 * @property {string} program the path of the program
 * @property {BrokerSettings} settings the settings that the transport requests; {}: none
 */

/** @typedef {HostPlan & {username: string, password: string, settings: BrokerSettings}} ServerPlan */

/**
 * @template {BrokerConnection} Connection
 * @param {{label: string, program: string, connectionTo: (server: {hostname: string, port: number, username: string, password: string}) => Connection}} kind
 * @param {ServerDriver<Connection>} driver
 * @returns {BrokerDriver<Connection>}
 */
export function driverOfOneServer(kind, driver) {
  const {command: _, environment: __, ...asked} = driver;
  return {
    processName: new RegExp(`^${kind.program.replace(/[^\w-]/g, '.')}`),
    ...asked,
    planHosts: ([hostname], {settings = {}}) => [
      {hostname, username: 'perf-battle', password: randomBytes(18).toString('base64url'), settings},
    ],
    startOnHost: (plan, host, signal) => startOneServer(kind, driver, {plan, host, signal}),
  };
}

/**
 * @template {BrokerConnection} Connection @param {Parameters<typeof driverOfOneServer<Connection>>[0]} kind
 * @param {ServerDriver<Connection>} driver
 * @param {{plan: ServerPlan, host: HostFolder, signal: AbortSignal, earlier?: {port: number}}} start earlier: the port of an earlier start
 * @returns {Promise<RunningHost<Connection>>}
 */
async function startOneServer(kind, driver, start) {
  const {label, connectionTo} = kind;
  const {greet, command} = driver;
  const {plan, host, signal} = start;
  const {hostname, username, password, settings} = plan;
  const {folder, data, program, setpriv} = host;
  const address = listenAddressOf(hostname);
  const {port} = start.earlier ?? {port: (await pickPorts([address]))[0]};
  const common = {PATH: pathFolders().join(':'), LANG: 'C.UTF-8', HOME: homeOf(folder)};
  const ofAny = {label, setpriv, folder, log: join(folder, 'output.log'), secret: password};
  const words = await command(
    {...{hostname, address, port, username, password}, ...{folder, data, program, settings}},
    async (title, line, own) =>
      await runToEnd({...ofAny, title, command: line, environment: {...common, ...own}}, signal),
  );
  const connection = connectionTo({hostname, port, username, password});
  // This host may be unable to reach its own public address behind a network address translation.
  const fromHere = address === hostname ? connection : {...connection, hostname: 'localhost'};
  const {pid, answer, ended, end} = await startServer(
    {
      ...ofAny,
      ...{title: basename(program), command: [program, ...words]},
      environment: {...common, ...driver.environment?.(folder)},
    },
    (soon) => greet(fromHere, {timeoutMs: 5000, signal: soon}),
    signal,
  );
  const node = {pid, connection, versions: answer.versions, ended};
  const again = (/** @type {AbortSignal} */ later) =>
    startOneServer(kind, driver, {plan, host, signal: later, earlier: {port}});
  return {nodes: [node], ended, end, verify: async () => {}, again};
}
