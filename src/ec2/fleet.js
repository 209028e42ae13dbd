import {readFile} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {defaultBrokerKind} from '../brokers/index.js';
import {UnavailableError} from '../errors.js';
import {waitUntilReady} from './ready.js';
import {Removal, withPeriod} from './removal.js';
import {hostRoles, writeSshFiles} from './ssh-files.js';
import {expiryOf, hostCount, isUsable, tagsFor} from './stack.js';
import {parametersFor} from './stack-parameters.js';

/**
 * @import {CloudFormation, Stack} from './cloudformation.js'
 * @import {Access} from './ssh-files.js'
 * @import {HostRequest} from './stack-parameters.js'
 */

const template = new URL('../../infra/ec2/stack.yaml', import.meta.url);

/**
 * The running hosts of one instance type.
 * @typedef {object} Hosts
 * @property {string} type
 * @property {string} stack its name
 * @property {Access} access
 * @property {Date | null} endsAt
 */

/** The stacks of this user in one region: one for each instance type. */
export class Fleet {
  /**
   * @param {CloudFormation} cloud
   * @param {(line: string) => void} log
   */
  constructor(cloud, log) {
    this.cloud = cloud;
    this.log = log;
    this.prefix = `perf-battle-${userNamePart()}-`;
    this.removal = new Removal(cloud, log);
  }

  /** @param {string} type */
  nameFor(type) {
    return `${this.prefix}${type.replaceAll('.', '-')}`;
  }

  /** @returns {Promise<Stack[]>} */
  async stacks() {
    return await this.cloud.list(this.prefix);
  }

  /**
   * Creates the hosts of a type, unless they are running, and waits until they are ready.
   * @param {string} type
   * @param {HostRequest} request
   * @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how
   * @returns {Promise<Hosts>}
   * @throws {UnavailableError} when the stack or a host failed; the stack may exist
   */
  async ensureHosts(type, request, {madeBy, signal}) {
    const existing = await this.#findUsable(type, signal);
    const stack = existing ?? (await this.#create(type, request, {madeBy, signal}));
    const access = await writeAccess(stack, type, request);
    await this.#waitUntilReady(access, signal);
    this.log(`${stack.name} is ready.`);
    return {type, stack: stack.name, access, endsAt: expiryOf(stack)};
  }

  /**
   * Finds the stack of a type. Deletes one that failed or whose hosts have expired.
   * @param {string} type
   * @param {AbortSignal} signal
   * @returns {Promise<Stack | null>}
   */
  async #findUsable(type, signal) {
    const stack = await this.cloud.waitUntilSettled(this.nameFor(type), signal);
    if (stack === null) return null;
    if (isUsable(stack)) {
      this.log(`${stack.name} is running already.`);
      return stack;
    }
    await this.removal.deleteStacks([stack], signal);
    return null;
  }

  /**
   * @param {string} type
   * @param {HostRequest} request
   * @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how
   * @returns {Promise<Stack>}
   */
  async #create(type, request, {madeBy, signal}) {
    signal.throwIfAborted();
    const name = this.nameFor(type);
    this.log(`Creating ${name} in ${this.cloud.region}.`);
    const endsAt = new Date(Date.now() + request.ttlMs);
    const stackRequest = {
      template: await readFile(template, 'utf8'),
      parameters: await parametersFor(type, request),
      tags: tagsFor({madeBy, endsAt}),
    };
    signal.throwIfAborted();
    const size = {type, hosts: hostCount(request.brokerWithServer), endsAt};
    await this.removal.expect(name, size, {isTemporary: madeBy === 'run'}, () =>
      this.cloud.create(name, stackRequest),
    );
    const stack = await this.cloud.waitUntilSettled(name, signal);
    if (stack?.status !== 'CREATE_COMPLETE') {
      throw creationFailed(name, stack ? await this.cloud.firstFailureOf(name) : 'It was deleted');
    }
    this.log(`${name} is created; its hosts boot and install Node.js and ${defaultBrokerKind.label}.`);
    return stack;
  }

  /** @param {Access} access @param {AbortSignal} signal */
  async #waitUntilReady({config, names}, signal) {
    const giveUp = new AbortController();
    const either = AbortSignal.any([signal, giveUp.signal]);
    const waits = hostRoles.map((role) => waitUntilReady(names[role], config, either));
    const reports = await Promise.all(waits).finally(async () => {
      // One failed host is enough to end the wait for the others.
      giveUp.abort();
      await Promise.allSettled(waits);
    });
    if (reports.at(-1)?.hasBroker) return;
    this.log(
      `Warning: ${defaultBrokerKind.label} could not be installed on ${names.broker}; /run/perf-battle/log there gives the reason.`,
    );
  }
}

/** @param {Stack} stack @param {string} type @param {HostRequest} request @returns {Promise<Access>} */
async function writeAccess({name, outputs}, type, {key, sshConfig}) {
  const addresses = {client: outputs.Client, server: outputs.Server, broker: outputs.Broker};
  return await writeSshFiles(name, {type, addresses, keyFile: key.file, userConfig: sshConfig});
}

/** The user's name, reduced to the characters that a stack's name may have. */
function userNamePart() {
  const name = userInfo()
    .username.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return name.replace(/^-+|-+$/g, '') || 'user';
}

/** Reasons for which another availability zone may have the instance type. */
const zoneFailure =
  /not supported in your requested Availability Zone|InsufficientInstanceCapacity|sufficient capacity/i;

/** @param {string} name @param {string} reason */
function creationFailed(name, reason) {
  const advice = zoneFailure.test(reason) ? ' Try another --zone.' : '';
  return new UnavailableError(`The stack ${name} could not be created. ${withPeriod(reason)}${advice}`, {
    code: 'PB_AWS',
  });
}
