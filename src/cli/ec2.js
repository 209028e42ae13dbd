import {Fleet} from '../ec2/fleet.js';
import {prepare} from '../ec2/prepare.js';
import {runOnEc2} from '../ec2/run.js';
import {addressesOf, atTime, expiryOf, ownerTagOf} from '../ec2/stack.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {fieldColumns, isForPrograms, printForPrograms, printJson, toCsv} from '../report/for-programs.js';
import {printText} from '../report/terminal.js';
import {safeText} from '../safe-text.js';
import {optionsOfBattle, optionsOfEc2} from '../settings/index.js';
import {readBattleSettings, readOptions} from './read-settings.js';

/**
 * @import {Stack} from '../ec2/types.js'
 * @import {Ec2Values} from '../settings/index.js'
 */

/** @type {Record<string, (commandLine: readonly string[], signal: AbortSignal) => Promise<number>>} */
const actions = {up, run, status, down};

/** `perf-battle ec2`: creates, uses, lists and deletes hosts on EC2. @param {readonly string[]} commandLine @param {AbortSignal} signal */
export async function ec2([action = '', ...commandLine], signal) {
  if (Object.hasOwn(actions, action)) return await actions[action](commandLine, signal);
  const given = action === '' ? 'nothing' : quote(action);
  throw new UsageError(
    `ec2 must be followed by one of ${Object.keys(actions).join(', ')}; it was given ${given}. See perf-battle ec2 --help.`,
  );
}

/** @param {readonly string[]} commandLine @param {AbortSignal} signal */
async function up(commandLine, signal) {
  const {values} = await readOptions(commandLine, optionsOfEc2.up, 'ec2 up');
  const {fleet, types, request} = await prepare(values, signal);
  const started = await Promise.all(
    types.map((type) => fleet.ensureHosts(type, request, {madeBy: 'up', signal})),
  );
  if (values.json)
    printJson({
      hosts: started.map(({access: {config, names}, endsAt}, index) => ({
        ...{instanceType: types[index], sshConfig: config, ...names, endsAt: endsAt?.toISOString() ?? null},
      })),
    });
  else
    for (const {config, names} of started.map(({access}) => access))
      process.stdout.write(
        `perf-battle --ssh-config ${config} --client-on ${names.client} --server-on ${names.server} --broker-on ${names.broker}\n`,
      );
  for (const {access, endsAt} of started)
    printText(
      `To log in: ssh -F ${access.config} ${access.names.client}. The hosts terminate ${atTime(endsAt)}.`,
    );
  fleet.removal.keepAll();
  return 0;
}

/** @param {readonly string[]} commandLine @param {AbortSignal} signal */
async function run(commandLine, signal) {
  const settings = await readBattleSettings(commandLine, [...optionsOfBattle, ...optionsOfEc2.run]);
  return await runOnEc2(settings, signal);
}

/** @param {readonly string[]} commandLine */
async function status(commandLine) {
  const {values} = await readOptions(commandLine, optionsOfEc2.status, 'ec2 status');
  const {fleet, stacks, foreign} = await findStacks(values);
  printForPrograms(values, {
    document: () => ({
      region: fleet.cloud.region,
      stacks: stacks.map(documentOf),
      foreign: foreign.map((stack) => ({name: stack.name, owner: ownerTagOf(stack) ?? null})),
    }),
    csv: (separator) => toCsv(csvColumns, stacks.map(documentOf), separator),
  });
  if (isForPrograms(values)) return 0;
  if (stacks.length === 0) process.stdout.write(`No hosts of perf-battle in ${fleet.cloud.region}.\n`);
  for (const stack of stacks) process.stdout.write(`${safeText(describe(stack))}\n`);
  for (const stack of foreign) printText(`${stack.name} belongs to another owner: ${ownerTagOf(stack)}`);
  return 0;
}

/** @param {readonly string[]} commandLine */
async function down(commandLine) {
  const {values} = await readOptions(commandLine, optionsOfEc2.down, 'ec2 down');
  const {fleet, stacks} = await findStacks(values);
  if (stacks.length === 0) printText(`No hosts of perf-battle in ${fleet.cloud.region}.`);
  await fleet.removal.deleteStacks(stacks);
  if (values.json) printJson({deleted: stacks.map(({name}) => name)});
  return 0;
}

/** @param {Pick<Ec2Values, 'region' | 'instanceType'>} values */
async function findStacks({region, instanceType}) {
  const fleet = await Fleet.open(region, printText);
  const {own, foreign} = await fleet.stacks();
  const isWanted = (/** @type {Stack} */ {parameters}) =>
    instanceType?.includes(parameters.InstanceType) ?? true;
  return {fleet, stacks: own.filter(isWanted), foreign: foreign.filter(isWanted)};
}

/** @param {Stack} stack */
function documentOf(stack) {
  const {name, status: state, parameters} = stack;
  const expiresAt = expiryOf(stack)?.toISOString() ?? null;
  return {
    name,
    status: state,
    instanceType: parameters.InstanceType,
    expiresAt,
    addresses: addressesOf(stack),
  };
}

/** @type {readonly [string, (stack: ReturnType<typeof documentOf>) => unknown][]} */
const csvColumns = [
  ...fieldColumns('name', 'status', 'instanceType', 'expiresAt'),
  ['client', ({addresses}) => addresses.client],
  ['server', ({addresses}) => addresses.server],
  ['broker', ({addresses}) => addresses.broker],
];

/** @param {Stack} stack */
function describe(stack) {
  const {name, status: state, parameters} = stack;
  const addresses = Object.entries(addressesOf(stack))
    .filter(([, address]) => address !== undefined)
    .map(([role, address]) => `${role} ${address}`);
  const expiry = expiryOf(stack);
  const verb = expiry !== null && expiry.getTime() < Date.now() ? 'terminated' : 'terminate';
  return [
    `${name}: ${state}, ${parameters.InstanceType}; its hosts ${verb} ${atTime(expiry)}`,
    ...(addresses.length > 0 ? [`  ${addresses.join(', ')}`] : []),
  ].join('\n');
}
