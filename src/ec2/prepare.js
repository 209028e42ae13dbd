import {isIPv4} from 'node:net';
import {RunError, UnavailableError, UsageError} from '../errors.js';
import {within} from '../measure/bounds.js';
import {ask, printText} from '../report/terminal.js';
import {Fleet} from './fleet.js';
import {findSshKey, makeHostKey} from './ssh.js';
import {allowsCluster, costPerHour, hostCount, isBurstable, isUsable} from './stack.js';

/**
 * @import {Ec2Values} from '../settings/index.js'
 * @import {HostRequest, Stack} from './types.js'
 */

/**
 * Prepares a request for hosts, shows the resources that it will create, and asks for confirmation.
 * @param {Omit<Ec2Values, 'keep'>} values @param {AbortSignal} signal
 * @param {(running: readonly Stack[]) => void} [check] throws if the command would fail on the running stacks
 * @returns {Promise<{fleet: Fleet, types: readonly string[], existing: readonly Stack[], request: HostRequest}>} existing: the stacks of these types
 */
export async function prepare(values, signal, check) {
  const types = typesGiven(values.instanceType);
  refuseUnusedCredits(types, values);
  const key = await findSshKey(values.key);
  const fleet = await Fleet.open(values.region, printText);
  const sshFrom = values.sshFrom ?? `${await findCallerAddress()}/32`;
  const hostKey = await makeHostKey();
  const request = {...values, key, hostKey, sshFrom, zone: values.zone ?? ''};
  const names = types.map((type) => fleet.nameFor(type));
  const existing = (await fleet.stacks()).own.filter(({name}) => names.includes(name));
  const running = existing.filter(isUsable);
  check?.(running);
  const missing = types.filter((type) => !running.some(({name}) => name === fleet.nameFor(type)));
  if (missing.length > 0) {
    printText(describeCreation(missing, {...request, region: fleet.cloud.region}));
    if (!values.yes) await confirm(signal);
  }
  return {fleet, types, existing, request};
}

/**
 * @param {readonly string[]} types
 * @param {Pick<Ec2Values, 'ttlMs' | 'credits' | 'brokerWithServer'> & {region: string, zone: string, sshFrom: string}} request
 */
function describeCreation(types, {region, zone, sshFrom, ttlMs, credits, brokerWithServer}) {
  const count = hostCount(brokerWithServer);
  const hosts = types.map((type) => {
    const price = costPerHour(type, count);
    const cost =
      price === null
        ? ''
        : `, about $${price.toFixed(2)} an hour in us-east-1 with disks and public addresses`;
    const burst = isBurstable(type) ? `, CPU credits ${credits}` : '';
    const placement = allowsCluster(type) ? ', in a cluster placement group' : '';
    return `  ${count} × ${type} (Amazon Linux 2023)${placement}${burst}${cost}`;
  });
  return [
    `This creates the following in ${zone || region}, at the cost of your AWS account:`,
    ...hosts,
    `  for each type a VPC with a subnet, and a security group that allows ssh from ${sshFrom}`,
    `The hosts terminate themselves after ${Math.round(ttlMs / 60_000)} minutes, even if this command is killed.`,
  ].join('\n');
}

/**
 * @param {readonly string[]} types @param {Pick<Ec2Values, 'credits'>} values
 * @throws {UsageError} when the credits are unlimited and no type has CPU credits
 */
export function refuseUnusedCredits(types, {credits}) {
  if (credits === 'unlimited' && !types.some(isBurstable))
    throw new UsageError(
      `--credits unlimited has no effect here: it needs a burstable instance type (t2, t3 …), and not only ${types.join(' and ')}.`,
    );
}

/** @param {AbortSignal} signal */
async function confirm(signal) {
  const answer = await ask('Create it? [y/N] ', signal);
  if (answer === null)
    throw new UsageError('Creating hosts needs confirmation, but there is no terminal to ask on. Add --yes.');
  if (!answer) throw new RunError('Nothing was created.');
}

/** @param {readonly string[] | null} types @throws {UsageError} when no type is given */
export function typesGiven(types) {
  if (types !== null) return types;
  throw new UsageError(
    'Name the instance types with --instance-type, for example --instance-type t2.micro,m4.xlarge (those of the published table).',
  );
}

const serviceUrl = 'https://checkip.amazonaws.com';
const timeoutMs = 5000;

/**
 * Asks AWS for the public address of this host.
 * @param {string} [url] @returns {Promise<string>} IPv4 @throws {UnavailableError} when the service does not answer with an IPv4 address
 */
export async function findCallerAddress(url = serviceUrl) {
  try {
    const answer = await within(timeoutMs, null, async (signal) => {
      const response = await fetch(url, {signal});
      return response.ok && (await response.text()).trim();
    });
    if (answer && isIPv4(answer)) return answer;
  } catch (error) {
    throw addressUnknown(url, error);
  }
  throw addressUnknown(url);
}

/** @param {string} url @param {unknown} [cause] */
function addressUnknown(url, cause) {
  return new UnavailableError(
    `Your public address is unknown: ${url} did not answer with one. Give it with --ssh-from, for example 203.0.113.7.`,
    {code: 'PB_AWS', cause},
  );
}
