import {costPerHour} from './instance-types.js';
import {formatTime} from './stack.js';

/**
 * @typedef {object} RemainingStack
 * @property {string} type
 * @property {number} hosts
 * @property {Date | null} endsAt when its hosts terminate themselves
 * @property {boolean} [isDeleting] whether CloudFormation accepted its deletion
 */

/**
 * The stacks for which this process is responsible and which may cost money. However the process ends, it then names those that are left,
 * what they cost, and the command that removes them. A second Ctrl-C leaves no time for more than that.
 */
export class Remaining {
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

  /** CloudFormation accepted the deletion of a stack. @param {string} name */
  setDeleting(name) {
    const stack = this.#stacks.get(name);
    if (stack) this.#stacks.set(name, {...stack, isDeleting: true});
  }

  /** The stack is gone. @param {string} name */
  delete(name) {
    this.#stacks.delete(name);
    if (this.#stacks.size === 0) process.off('exit', this.#onExit);
  }

  /** The stacks stay because the user wants them. */
  clear() {
    for (const name of [...this.#stacks.keys()]) this.delete(name);
  }

  /** A line for each stack. */
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
    return `The stack ${name} in ${this.region} may be up and then ${cost} until its hosts terminate ${formatTime(endsAt)}. To remove it: perf-battle ec2 down --region ${this.region} --instance-type ${type}`;
  }
}
