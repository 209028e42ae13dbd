/**
 * What perf-battle knows of a stack: by its tags and its parameters.
 *
 * @import {Stack} from './cloudformation.js'
 * @import {Owner} from './owner.js'
 */

const tag = {madeBy: 'perf-battle', endsAt: 'perf-battle-ends-at', owner: 'perf-battle-owner'};

/**
 * The tags of a new stack.
 * @param {{madeBy: 'up' | 'run', endsAt: Date, owner: Owner}} stack
 * @returns {Record<string, string>}
 */
export function tagsFor({madeBy, endsAt, owner}) {
  return {[tag.madeBy]: madeBy, [tag.endsAt]: endsAt.toISOString(), [tag.owner]: owner.tag};
}

/** Whether perf-battle created a stack, for any owner. @param {Stack} stack */
export function isOfPerfBattle({tags}) {
  return tags[tag.madeBy] !== undefined;
}

/** @param {Stack} stack @param {Owner} owner */
export function belongsTo({tags}, owner) {
  return tags[tag.owner] === owner.tag;
}

/** @param {Stack} stack @returns {string} the identity to which it belongs */
export function ownerTagOf({tags}) {
  return tags[tag.owner] ?? 'unknown';
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

/** Whether `ec2 run` created a stack, and so deletes it. @param {Stack} stack */
export function isMadeByRun({tags}) {
  return tags[tag.madeBy] !== 'up';
}

/** How many hosts it has. @param {boolean} brokerWithServer */
export function hostCount(brokerWithServer) {
  return brokerWithServer ? 2 : 3;
}

/** @param {Stack} stack @returns {{type: string, hosts: number, endsAt: Date | null}} */
export function sizeOf(stack) {
  const {InstanceType, BrokerOn} = stack.parameters;
  return {type: InstanceType, hosts: hostCount(BrokerOn === 'server'), endsAt: expiryOf(stack)};
}

/** @param {Stack} stack @returns {{client: string, server: string, broker: string}} the public addresses of its hosts */
export function addressesOf({outputs}) {
  return {client: outputs.Client, server: outputs.Server, broker: outputs.Broker};
}

/** @param {Date | null} time */
export function atTime(time) {
  return time === null ? 'at an unknown time' : `at ${time.toISOString().slice(0, 16)}Z`;
}
