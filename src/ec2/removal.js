import {UnavailableError} from '../errors.js';
import {removeSshFiles} from './ssh.js';
import {atTime, costPerHour, isMadeByRun, sizeOf} from './stack.js';

/**
 * @import {CloudFormation} from './cloudformation.js'
 * @import {RemainingStack, Stack} from './types.js'
 */

/** Deletes the stacks for which this process is responsible, from the request that creates them. */
export class Removal {
  /** The creation requests of the stacks that this run deletes at its end. @type {Map<string, Promise<unknown>>} */
  #temporary = new Map();
  /** @type {Map<string, Promise<void>>} */
  #deletions = new Map();

  /** @param {CloudFormation} cloud @param {(line: string) => void} log */
  constructor(cloud, log) {
    this.cloud = cloud;
    this.log = log;
    this.remaining = new Remaining(cloud.region);
  }

  /**
   * Creates a stack. The responsibility for it begins before the request.
   * @param {string} name @param {RemainingStack} stack @param {{isTemporary: boolean}} how isTemporary: this run deletes the stack at its end
   * @param {() => Promise<void>} create
   */
  async expect(name, stack, {isTemporary}, create) {
    this.remaining.set(name, stack);
    const created = create();
    if (isTemporary) this.#temporary.set(name, created);
    await created.catch((error) => {
      if (isRefusal(error.cause)) this.#forget(name);
      throw error;
    });
  }

  /** Takes over a stack that an earlier `ec2 run` has kept, so that this run deletes it. @param {Stack} stack */
  adopt(stack) {
    if (!isMadeByRun(stack)) return;
    this.remaining.set(stack.name, sizeOf(stack));
    this.#temporary.set(stack.name, Promise.resolve());
  }

  /** Ends the responsibility for all stacks, because the user keeps them. */
  keepAll() {
    this.remaining.clear();
    this.#temporary.clear();
  }

  /**
   * Requests the deletion of all stacks of this run, and does not wait for its end. Another call repeats only failed requests.
   * @throws {UnavailableError} when a request failed
   */
  async requestDeletions() {
    await Promise.all([...this.#temporary.keys()].map((name) => this.#requestDeletion(name)));
  }

  /** Deletes all stacks of this run, and waits until they are gone. Stacks of `ec2 up` stay. */
  async deleteTemporary() {
    await this.#deleteAll([...this.#temporary.keys()]);
  }

  /**
   * Deletes stacks with all their resources, and waits until they are gone. If a deletion fails, the others continue.
   * @param {readonly Stack[]} stacks @param {AbortSignal} [signal] ends the wait @throws the first failure
   */
  async deleteStacks(stacks, signal) {
    for (const stack of stacks) this.remaining.set(stack.name, sizeOf(stack));
    await this.#deleteAll(
      stacks.map(({name}) => name),
      signal,
    );
  }

  /** @param {readonly string[]} names @param {AbortSignal} [signal] */
  async #deleteAll(names, signal) {
    const outcomes = await Promise.allSettled(names.map((name) => this.#deleteStack(name, signal)));
    const failed = outcomes.find(({status}) => status === 'rejected');
    if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }

  /** @param {string} name @param {AbortSignal} [signal] ends the wait @throws {UnavailableError} when a resource is left */
  async #deleteStack(name, signal) {
    await this.#requestDeletion(name);
    await removeSshFiles(name);
    const left = await this.cloud.waitUntilSettled(name, signal);
    this.#deletions.delete(name);
    if (left !== null) {
      this.remaining.set(name, sizeOf(left));
      throw new UnavailableError(
        `The stack ${name} in ${this.cloud.region} could not be deleted (${left.status}). ${withPeriod(await this.cloud.firstFailureOf(name))} If another try fails too, delete it in the AWS console.`,
        {code: 'PB_AWS'},
      );
    }
    this.#forget(name);
    this.log(`${name} is deleted.`);
  }

  /** @param {string} name */
  #requestDeletion(name) {
    const requested = this.#deletions.get(name) ?? this.#sendDeletion(name);
    this.#deletions.set(name, requested);
    return requested;
  }

  /** @param {string} name */
  async #sendDeletion(name) {
    try {
      // CloudFormation accepts the deletion of a stack before it knows the stack, and then creates the stack.
      await this.#temporary.get(name)?.catch(() => {});
      await this.cloud.delete(name);
      this.remaining.setDeleting(name);
      this.log(`Deleting ${name}; this takes some minutes.`);
    } catch (error) {
      this.#deletions.delete(name);
      throw error;
    }
  }

  /** @param {string} name the name of a stack that does not exist */
  #forget(name) {
    this.#temporary.delete(name);
    this.remaining.delete(name);
  }
}

/** Whether AWS has received and refused a request. @param {unknown} error */
function isRefusal(error) {
  const {$metadata, name} = /** @type {{$metadata?: {httpStatusCode?: number}, name?: string}} */ (error);
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && name !== 'AlreadyExistsException';
}

/** @param {string} sentence */
export function withPeriod(sentence) {
  return sentence.replace(/\.?$/, '.');
}

/**
 * The stacks for which this process is responsible and which may cost money. At its end the process prints each remaining
 * stack, its cost, and the command that removes it. After a second Ctrl-C there is no time for more.
 */
class Remaining {
  /** @type {Map<string, RemainingStack>} */
  #stacks = new Map();
  #onExit = () => process.stderr.write(this.describe());

  /** @param {string} region */
  constructor(region) {
    this.region = region;
  }

  /** @param {string} name @param {RemainingStack} stack */
  set(name, stack) {
    if (this.#stacks.size === 0) process.on('exit', this.#onExit);
    this.#stacks.set(name, stack);
  }

  /** @param {string} name */
  setDeleting(name) {
    const stack = this.#stacks.get(name);
    if (stack) this.#stacks.set(name, {...stack, isDeleting: true});
  }

  /** @param {string} name the name of a stack that no longer exists */
  delete(name) {
    this.#stacks.delete(name);
    if (this.#stacks.size === 0) process.off('exit', this.#onExit);
  }

  clear() {
    for (const name of [...this.#stacks.keys()]) this.delete(name);
  }

  describe() {
    return [...this.#stacks].map(([name, stack]) => `${this.#describeOne(name, stack)}\n`).join('');
  }

  /** @param {string} name @param {RemainingStack} stack */
  #describeOne(name, {type, hosts, endsAt, isDeleting = false}) {
    if (isDeleting) {
      return `CloudFormation is deleting the stack ${name} in ${this.region}; nothing waits for it any more. To see whether it is gone: perf-battle ec2 status --region ${this.region}`;
    }
    const price = costPerHour(type, hosts);
    const cost = price === null ? 'costs money' : `costs about $${price.toFixed(2)} an hour`;
    return `The stack ${name} in ${this.region} may be up and then ${cost} until its hosts terminate ${atTime(endsAt)}. To remove it: perf-battle ec2 down --region ${this.region} --instance-type ${type}`;
  }
}
