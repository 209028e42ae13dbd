import {readFile} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {UnavailableError} from '../errors.js';
import {allowsCluster, imageParameterFor, isBurstable} from './instance-types.js';
import {untilReady} from './ready.js';
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
 * What a person asks of the hosts.
 * @typedef {object} HostRequest
 * @property {string} zone empty: the region's first
 * @property {string} sshFrom a CIDR block
 * @property {number} ttlMs
 * @property {'standard' | 'unlimited'} credits
 * @property {boolean} brokerWithServer
 * @property {SshKey} key
 * @property {string | null} sshConfig
 *
 * Hosts of one type that are up.
 * @typedef {object} Hosts
 * @property {string} type
 * @property {string} stack its name
 * @property {Access} access
 * @property {Date | null} endsAt
 */

/** Stacks of this person, one for each instance type, in one region. */
export class Fleet {
  /**
   * @param {CloudFormation} cloud
   * @param {(line: string) => void} log
   */
  constructor(cloud, log) {
    this.cloud = cloud;
    this.log = log;
    this.prefix = `perf-battle-${nameOfUser()}-`;
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
   * Puts hosts up, unless they are up already, and waits until they are ready.
   * @param {string} type
   * @param {HostRequest} request
   * @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how
   * @returns {Promise<Hosts>}
   * @throws {UnavailableError} what went wrong; the stack is there nevertheless, perhaps
   */
  async ensureHosts(type, request, {madeBy, signal}) {
    const name = this.nameFor(type);
    const known = await this.cloud.settled(name, signal);
    const wereUp = known !== null && isUsable(known);
    if (known !== null && !wereUp) await this.deleteStack(name);
    signal.throwIfAborted();
    if (wereUp) this.log(`${name} is up already.`);
    else await this.#create(name, type, request, madeBy);
    const stack = await this.cloud.settled(name, signal);
    if (stack?.status !== 'CREATE_COMPLETE') {
      const reason = stack ? await this.cloud.failureOf(name) : 'it is gone';
      throw new UnavailableError(`The stack ${name} could not be created. ${reason}${adviceFor(reason)}`, {
        code: 'PB_AWS',
      });
    }
    const access = await this.#access(stack, type, request);
    if (!wereUp) this.log(`${name} is created; its hosts boot and install Node.js and RabbitMQ.`);
    await this.#untilReady(access, signal);
    this.log(`${name} is ready.`);
    return {type, stack: name, access, endsAt: expiryOf(stack)};
  }

  /**
   * Removes a stack with all that it made, and waits until it is gone.
   * @param {string} name
   * @throws {UnavailableError} when something of it stays
   */
  async deleteStack(name) {
    this.log(`Removing ${name}; this takes some minutes.`);
    await this.cloud.remove(name);
    await removeSshFiles(name);
    const left = await this.cloud.settled(name);
    if (left !== null) {
      throw new UnavailableError(
        `The stack ${name} in ${this.cloud.region} could not be removed and may cost money (${left.status}). ${await this.cloud.failureOf(name)}. Remove it in the AWS console, or try again with perf-battle ec2 down.`,
        {code: 'PB_AWS'},
      );
    }
    this.log(`${name} is gone.`);
  }

  /**
   * Removes stacks, all of them even if one cannot be.
   * @param {readonly string[]} names
   * @throws the first failure
   */
  async deleteStacks(names) {
    const ends = await Promise.allSettled(names.map((name) => this.deleteStack(name)));
    const failed = ends.find(({status}) => status === 'rejected');
    if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }

  /**
   * Removes what a run has put up of these types; what a person put up stays.
   * @param {readonly string[]} types
   */
  async deleteStacksOfRuns(types) {
    const names = types.map((type) => this.nameFor(type));
    const made = (await this.stacks()).filter((stack) => names.includes(stack.name) && !isPersons(stack));
    await this.deleteStacks(made.map(({name}) => name));
  }

  /** @param {string} name @param {string} type @param {HostRequest} request @param {'up' | 'run'} madeBy */
  async #create(name, type, request, madeBy) {
    this.log(`Creating ${name} in ${this.cloud.region}.`);
    await this.cloud.create(name, {
      template: await readFile(template, 'utf8'),
      parameters: await parametersFor(type, request),
      tags: {
        [tag.madeBy]: madeBy,
        [tag.endsAt]: new Date(Date.now() + request.ttlMs).toISOString(),
      },
    });
  }

  /** @param {Stack} stack @param {string} type @param {HostRequest} request */
  async #access({name, outputs}, type, {key, sshConfig}) {
    const addresses = {client: outputs.Client, server: outputs.Server, broker: outputs.Broker};
    return await writeSshFiles(name, {type, addresses, keyFile: key.file, personConfig: sshConfig});
  }

  /** @param {Access} access @param {AbortSignal} signal */
  async #untilReady({config, names}, signal) {
    const giveUp = new AbortController();
    const either = AbortSignal.any([signal, giveUp.signal]);
    const waits = hostRoles.map((role) => untilReady(names[role], config, either));
    const reports = await Promise.all(waits).finally(async () => {
      // One that cannot be had is enough; nobody goes on to look at the others.
      giveUp.abort();
      await Promise.allSettled(waits);
    });
    if (reports.at(-1)?.hasBroker) return;
    this.log(
      `Warning: RabbitMQ could not be installed on ${names.broker}; /run/perf-battle/log there says why.`,
    );
  }
}

/**
 * What the stack's template takes.
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
 * When the hosts of a stack end by themselves.
 * @param {Stack} stack
 */
export function expiryOf({tags}) {
  const text = tags[tag.endsAt];
  return text === undefined ? null : new Date(text);
}

/** Whether its hosts still run. @param {Stack} stack */
export function isUsable(stack) {
  const end = expiryOf(stack);
  return stack.status === 'CREATE_COMPLETE' && end !== null && end.getTime() > Date.now();
}

/** @param {Stack} stack */
function isPersons({tags}) {
  return tags[tag.madeBy] === 'up';
}

/** What a stack's name may hold of a user's. */
function nameOfUser() {
  const name = userInfo()
    .username.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return name.replace(/^-+|-+$/g, '') || 'user';
}

/** @param {string} reason */
function adviceFor(reason) {
  return /not supported in your requested Availability Zone|InsufficientInstanceCapacity|sufficient capacity/i.test(
    reason,
  )
    ? ' Another --zone may have it.'
    : '';
}
