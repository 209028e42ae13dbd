import {readFile} from 'node:fs/promises';
import {UnavailableError} from '../errors.js';
import {within} from '../measure/bounds.js';
import {defaultBrokerKind} from '../transports/index.js';
import {CloudFormation} from './cloudformation.js';
import {Removal, withPeriod} from './removal.js';
import {hostRoles, waitUntilReady, writeSshFiles} from './ssh.js';
import {
  addressesOf,
  belongsTo,
  expiryOf,
  findOwner,
  hostCount,
  isOfPerfBattle,
  isUsable,
  ownerTagOf,
  parametersFor,
  tagsFor,
} from './stack.js';

/** @import {Access, HostRequest, Hosts, Owner, Stack} from './types.js' */

const template = new URL('../../infra/ec2/stack.yaml', import.meta.url);

/** The stacks of one owner in one region: one for each instance type. */
export class Fleet {
  /** @param {CloudFormation} cloud @param {Owner} owner @param {(line: string) => void} log */
  constructor(cloud, owner, log) {
    this.cloud = cloud;
    this.owner = owner;
    this.log = log;
    this.removal = new Removal(cloud, log);
  }

  /** @param {string | null} region null: the region of the environment or of the profile @param {(line: string) => void} log */
  static async open(region, log) {
    const cloud = await CloudFormation.open(region);
    return new Fleet(cloud, await findOwner(cloud.region), log);
  }

  /** @param {string} type */
  nameFor(type) {
    return `perf-battle-${this.owner.name}-${type.replaceAll('.', '-')}`;
  }

  /** @returns {Promise<{own: Stack[], foreign: Stack[]}>} foreign: stacks that perf-battle has created for other owners */
  async stacks() {
    const stacks = (await this.cloud.list()).filter(isOfPerfBattle);
    const isOwn = (/** @type {Stack} */ stack) => belongsTo(stack, this.owner);
    return {own: stacks.filter(isOwn), foreign: stacks.filter((stack) => !isOwn(stack))};
  }

  /**
   * Creates the hosts of a type, unless they are running, and waits until they are ready.
   * @param {string} type @param {HostRequest} request @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how @returns {Promise<Hosts>}
   * @throws {UnavailableError} when the stack or a host has failed; the stack may exist
   */
  async ensureHosts(type, request, {madeBy, signal}) {
    const existing = await this.#findUsable(type, signal);
    const stack = existing ?? (await this.#create(type, request, {madeBy, signal}));
    const access = await writeSshFiles(stack.name, {
      type,
      addresses: addressesOf(stack),
      hostKey: stack.outputs.HostKey,
      keyFile: request.key.file,
      userConfig: request.sshConfig,
    });
    await this.#waitUntilReady(access, signal);
    this.log(`${stack.name} is ready.`);
    return {type, stack: stack.name, access, endsAt: expiryOf(stack)};
  }

  /** Finds the stack of a type. Deletes a stack that has failed or whose hosts have expired. @param {string} type @param {AbortSignal} signal */
  async #findUsable(type, signal) {
    const stack = await this.cloud.waitUntilSettled(this.nameFor(type), signal);
    if (stack === null) return null;
    if (!belongsTo(stack, this.owner)) throw notOurs(stack);
    if (isUsable(stack)) {
      this.log(`${stack.name} is running already.`);
      return stack;
    }
    await this.removal.deleteStacks([stack], signal);
    return null;
  }

  /**
   * Creates a stack in the zone of the request, or otherwise in the first zone of the region that offers the type.
   * @param {string} type @param {HostRequest} request @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how
   */
  async #create(type, request, how) {
    const name = this.nameFor(type);
    /** @type {string[]} */
    const tried = [];
    for (;;) {
      const zone = tried.at(-1) ?? request.zone;
      const stack = await this.#createIn(type, {...request, zone}, how);
      if (stack?.status === 'CREATE_COMPLETE') return stack;
      // After Ctrl-C, the stack is deleted during the wait for it.
      how.signal.throwIfAborted();
      const reason = stack ? await this.cloud.firstFailureOf(name) : 'It was deleted';
      const next = zonesSuggestedBy(reason).find((other) => !tried.includes(other));
      if (stack === null || request.zone !== '' || next === undefined || tried.length === maxOtherZones)
        throw creationFailed(name, reason);
      this.log(`${withPeriod(reason)} Trying ${next}.`);
      await this.removal.deleteStacks([stack], how.signal);
      tried.push(next);
    }
  }

  /**
   * @param {string} type @param {HostRequest} request @param {{madeBy: 'up' | 'run', signal: AbortSignal}} how
   * @returns {Promise<Stack | null>} the settled stack, which may have failed; null: the stack no longer exists
   */
  async #createIn(type, request, {madeBy, signal}) {
    signal.throwIfAborted();
    const name = this.nameFor(type);
    this.log(`Creating ${name} in ${this.cloud.region}.`);
    const endsAt = new Date(Date.now() + request.ttlMs);
    const stackRequest = {
      template: await readFile(template, 'utf8'),
      parameters: await parametersFor(type, request),
      tags: tagsFor({madeBy, endsAt, owner: this.owner}),
    };
    signal.throwIfAborted();
    const size = {type, hosts: hostCount(request.brokerWithServer), endsAt};
    await this.removal.expect(name, size, {isTemporary: madeBy === 'run'}, () =>
      this.cloud.create(name, stackRequest),
    );
    const stack = await this.cloud.waitUntilSettled(name, signal);
    if (stack?.status === 'CREATE_COMPLETE')
      this.log(`${name} is created; its hosts boot and install Node.js and ${defaultBrokerKind.label}.`);
    return stack;
  }

  /** @param {Access} access @param {AbortSignal} signal */
  async #waitUntilReady({config, names}, signal) {
    const reports = await within(Infinity, signal, async (either, giveUp) => {
      const waits = hostRoles.map((role) => waitUntilReady(names[role], config, either));
      // A failed host ends the wait for the others.
      return await Promise.all(waits).catch(async (error) => {
        giveUp(error);
        await Promise.allSettled(waits);
        throw error;
      });
    });
    if (reports.at(-1)?.hasBroker) return;
    this.log(
      `Warning: ${defaultBrokerKind.label} could not be installed on ${names.broker}; /run/perf-battle/log there gives the reason.`,
    );
  }
}

/** @param {Stack} stack */
function notOurs(stack) {
  return new UnavailableError(
    `The stack ${stack.name} exists and belongs to another owner (${ownerTagOf(stack)}). perf-battle does not use or delete it.`,
    {code: 'PB_AWS'},
  );
}

/** The limit is low because each attempt takes minutes. */
const maxOtherZones = 5;

/** Reasons for which another availability zone may have the instance type. */
const zoneFailure =
  /not supported in your requested Availability Zone|InsufficientInstanceCapacity|sufficient ([a-z0-9.-]+ )?capacity/i;

/**
 * The other zones that AWS names when a zone lacks an instance type or its capacity: "… or choosing us-east-1b, us-east-1c."
 * @param {string} reason @returns {string[]}
 */
export function zonesSuggestedBy(reason) {
  const [, list = ''] = zoneFailure.test(reason) ? (reason.match(/ or choosing ([a-z0-9, -]+)/) ?? []) : [];
  return list.match(/[a-z]+(-[a-z]+)+-\d+[a-z]\b/g) ?? [];
}

/** @param {string} name @param {string} reason */
function creationFailed(name, reason) {
  const advice = zoneFailure.test(reason) ? ' Try another --zone.' : '';
  return new UnavailableError(`The stack ${name} could not be created. ${withPeriod(reason)}${advice}`, {
    code: 'PB_AWS',
  });
}
