import {readFile} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {defaultBrokerKind} from '../brokers/index.js';
import {UnavailableError} from '../errors.js';
import {allowsCluster, imageParameterFor, isBurstable} from './instance-types.js';
import {waitUntilReady} from './ready.js';
import {hostRoles, removeSshFiles, writeSshFiles} from './ssh-files.js';
import {makeUserData, packUserData} from './user-data.js';

/**
 * @import {CloudFormation, Stack} from './cloudformation.js'
 * @import {Access} from './ssh-files.js'
 * @import {SshKey} from './ssh-key.js'
 */

const template = new URL('../../infra/ec2/stack.yaml', import.meta.url);
const tag = {madeBy: 'perf-battle', endsAt: 'perf-battle-ends-at'};

/**
 * What a user requests of the hosts.
 * @typedef {object} HostRequest
 * @property {string} zone the availability zone; empty: the first of the region
 * @property {string} sshFrom a CIDR block
 * @property {number} ttlMs
 * @property {'standard' | 'unlimited'} credits
 * @property {boolean} brokerWithServer
 * @property {SshKey} key
 * @property {string | null} sshConfig
 *
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
   * Deletes a stack with all its resources, and waits until they are gone.
   * @param {string} name
   * @throws {UnavailableError} when a resource remains
   */
  async deleteStack(name) {
    this.log(`Deleting ${name}; this takes some minutes.`);
    await this.cloud.delete(name);
    await removeSshFiles(name);
    const left = await this.cloud.waitUntilSettled(name);
    if (left !== null) {
      throw new UnavailableError(
        `The stack ${name} in ${this.cloud.region} could not be deleted and may cost money (${left.status}). ${withPeriod(await this.cloud.firstFailureOf(name))} Delete it in the AWS console, or try again with perf-battle ec2 down.`,
        {code: 'PB_AWS'},
      );
    }
    this.log(`${name} is deleted.`);
  }

  /**
   * Deletes stacks. A failure of one does not stop the others.
   * @param {readonly string[]} names
   * @throws the first failure
   */
  async deleteStacks(names) {
    const outcomes = await Promise.allSettled(names.map((name) => this.deleteStack(name)));
    const failed = outcomes.find(({status}) => status === 'rejected');
    if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }

  /**
   * Deletes the stacks of these types that `ec2 run` created. Those of `ec2 up` stay.
   * @param {readonly string[]} types
   */
  async deleteStacksOfRuns(types) {
    const names = types.map((type) => this.nameFor(type));
    const stacks = await this.stacks();
    const created = stacks.filter((stack) => names.includes(stack.name) && stack.tags[tag.madeBy] !== 'up');
    await this.deleteStacks(created.map(({name}) => name));
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
    await this.deleteStack(stack.name);
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
    await this.cloud.create(name, {
      template: await readFile(template, 'utf8'),
      parameters: await parametersFor(type, request),
      tags: {
        [tag.madeBy]: madeBy,
        [tag.endsAt]: new Date(Date.now() + request.ttlMs).toISOString(),
      },
    });
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

/**
 * The parameters of the stack's template.
 * @param {string} type
 * @param {HostRequest} request
 */
async function parametersFor(type, {zone, sshFrom, ttlMs, credits, brokerWithServer, key}) {
  return {
    InstanceType: type,
    ImageId: imageParameterFor(type),
    KeyName: key.pairName,
    PublicKey: key.publicKey,
    SshFrom: sshFrom,
    Zone: zone,
    PlacementGroup: allowsCluster(type) ? 'cluster' : 'none',
    Credits: isBurstable(type) ? credits : 'none',
    BrokerOn: brokerWithServer ? 'server' : 'own',
    ...packUserData(await makeUserData({ttlMs})),
  };
}

/**
 * The time at which the hosts of a stack terminate themselves.
 * @param {Stack} stack
 * @returns {Date | null} null when the stack has no such tag
 */
export function expiryOf({tags}) {
  const text = tags[tag.endsAt];
  return text === undefined ? null : new Date(text);
}

/** Whether the hosts of a stack are running. @param {Stack} stack */
export function isUsable(stack) {
  const expiry = expiryOf(stack);
  return stack.status === 'CREATE_COMPLETE' && expiry !== null && expiry.getTime() > Date.now();
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

/** @param {string} sentence */
function withPeriod(sentence) {
  return sentence.replace(/\.?$/, '.');
}
