import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/.bin/tsc');

/**
 * Code that the checker accepts with the right word, and refuses with the wrong one. `src` stands for the folder of the sources.
 * @type {{what: string, code: (word: string) => string, right: string, wrong: string, error: RegExp}[]}
 */
const cases = [
  {
    what: 'a setting of the battle',
    code: (word) => `/** @import {BattleValues} from 'src/settings/index.js' */
/** @param {BattleValues} values @returns {number | null} */
export const read = (values) => values.${word};`,
    right: 'rounds',
    wrong: 'ruonds',
    error: /Property 'ruonds' does not exist/,
  },
  {
    what: 'another setting, as an option sees it',
    code: (word) => `import {samples} from 'src/settings/common-options.js';
/** @import {AskedSettings} from 'src/options/contract.js' */
/** @param {AskedSettings} settings @returns {${word}} */
export const ask = ({read}) => read(samples);`,
    right: 'number | null',
    wrong: 'string | null',
    error: /Type 'number' is not assignable to type 'string'/,
  },
  {
    what: 'the type of a setting',
    code: (word) => `/** @import {BattleValues} from 'src/settings/index.js' */
/** @param {BattleValues} values @returns {${word}} */
export const read = (values) => values.timeoutMs;`,
    right: 'number',
    wrong: 'string',
    error: /Type 'number' is not assignable to type 'string'/,
  },
  {
    what: 'a list of a setting that makes cells',
    code: (word) => `/** @import {BattleValues} from 'src/settings/index.js' */
/** @param {BattleValues} values @returns {${word}} */
export const read = (values) => values.deliveryMode;`,
    right: 'readonly (1 | 2)[]',
    wrong: '1 | 2',
    error: /is not assignable to type '1 \| 2'/,
  },
  {
    what: 'the one value that a script has of such a setting',
    code: (word) => `/** @import {ScriptValues} from 'src/settings/index.js' */
/** @param {ScriptValues} values @returns {1 | 2} */
export const read = (values) => values.${word};`,
    right: 'deliveryMode',
    wrong: 'deliveryMod',
    error: /Property 'deliveryMod' does not exist/,
  },
  {
    what: 'a setting that may be unset',
    code: (word) => `/** @import {BattleValues} from 'src/settings/index.js' */
/** @param {BattleValues} values @returns {${word}} */
export const read = (values) => values.samples;`,
    right: 'number | null',
    wrong: 'number',
    error: /Type 'null' is not assignable to type 'number'/,
  },
  {
    what: 'the configuration of a role',
    code: (word) => `/** @import {ClientSettings} from 'src/messages.js' */
/** @import {Control} from 'src/roles/control-channel.js' */
/** @param {Control<ClientSettings>} control */
export const read = async (control) => (await control.configurations.next()).${word}.workload;`,
    right: 'options',
    wrong: 'optoins',
    error: /Property 'optoins' does not exist/,
  },
  {
    what: 'a setting of a role',
    code: (word) => `/** @import {ClientRoleSettings} from 'src/roles/connection.js' */
/** @import {Role} from 'src/roles/script.js' */
/** @param {Role<ClientRoleSettings>} role */
export const read = async ({control}) => (await control?.configurations.next())?.options.${word};`,
    right: 'workload',
    wrong: 'wrokload',
    error: /Property 'wrokload' does not exist/,
  },
  {
    what: 'the origin of a setting',
    code: (word) => `/** @import {BattleSettings} from 'src/settings/index.js' */
/** @param {BattleSettings} settings */
export const read = ({origins}) => origins.${word}.name;`,
    right: 'maxP99Ms',
    wrong: 'maxP99',
    error: /Property 'maxP99' does not exist/,
  },
  {
    what: 'the default of an option',
    code: (word) => `import {option} from 'src/options/option.js';
import {integer} from 'src/options/types.js';
const type = integer({minimum: 1, maximum: 9});
export const declared = option('count', {type, default: ${word}, help: 'How many.', group: 'Any'});`,
    right: '5',
    wrong: "'5'",
    error: /Type 'string' is not assignable to type 'number/,
  },
  {
    what: 'the default of an option with choices',
    code: (word) => `import {option} from 'src/options/option.js';
import {oneOf} from 'src/options/types.js';
const type = oneOf(['red', 'blue']);
export const declared = option('colour', {type, default: ${word}, help: 'Which.', group: 'Any'});`,
    right: "'blue'",
    wrong: "'bleu'",
    error: /'"bleu"' is not assignable/,
  },
  {
    what: 'the default of a list in a battle',
    code: (word) => `import {option} from 'src/options/option.js';
import {integer} from 'src/options/types.js';
const type = integer({minimum: 1, maximum: 9});
export const declared = option('count', {type, list: true, battleDefault: ${word}, help: 'How many.', group: 'Any'});`,
    right: '[5]',
    wrong: '5',
    error: /Type 'number' is not assignable to type 'readonly number\[\]'/,
  },
  {
    what: 'what an option declares',
    code: (word) => `import {option} from 'src/options/option.js';
import {onOff} from 'src/options/types.js';
export const declared = option('fast', {type: onOff, help: 'Be fast.', group: 'Any', ${word}: true});`,
    right: 'secret',
    wrong: 'secert',
    error: /'secert' does not exist in type/,
  },
  {
    what: 'the scope of an option',
    code: (word) => `import {option} from 'src/options/option.js';
import {onOff} from 'src/options/types.js';
export const declared = option('fast', {type: onOff, help: 'Be fast.', group: 'Any', scope: '${word}'});`,
    right: 'battle',
    wrong: 'battel',
    error: /'"battel"' is not assignable/,
  },
  {
    what: 'a setting of a preset',
    code: (word) => `import {settingsByPreset} from 'src/settings/resolve-battle.js';
export const settings = settingsByPreset([{name: 'mine', settings: {seed: 7, ${word}: 3}}]);`,
    right: 'rounds',
    wrong: 'ruonds',
    error: /Type 'number' is not assignable to type 'never'/,
  },
  {
    what: 'the value of a setting of a preset',
    code: (word) => `import {settingsByPreset} from 'src/settings/resolve-battle.js';
export const settings = settingsByPreset([{name: 'mine', settings: {rounds: 3, workload: /** @type {const} */ (['${word}'])}}]);`,
    right: 'rtt',
    wrong: 'rrt',
    error: /'"rrt"' is not assignable/,
  },
  {
    what: 'the code of an error',
    code: (word) => `import {RunError} from 'src/errors.js';
export const error = new RunError('One was lost.', {code: '${word}'});`,
    right: 'PB_LOST',
    wrong: 'PB_LSOT',
    error: /'"PB_LSOT"' is not assignable/,
  },
  {
    what: 'the code of an error with another exit code',
    code: (word) => `import {UnavailableError} from 'src/errors.js';
export const error = new UnavailableError('There is none.', {code: '${word}'});`,
    right: 'PB_BROKER_UNAVAILABLE',
    wrong: 'PB_LOST',
    error: /'"PB_LOST"' is not assignable/,
  },
  {
    what: 'the type of a control message',
    code: (word) => `/** @import {ControlMessage} from 'src/messages.js' */
/** @type {ControlMessage} */
export const message = {type: '${word}'};`,
    right: 'go',
    wrong: 'begin',
    error: /'"begin"' is not assignable/,
  },
  {
    what: 'a setting of a role',
    code: (word) => `/** @import {ClientSettings} from 'src/messages.js' */
/** @param {ClientSettings} settings */
export const read = (settings) => settings.${word};`,
    right: 'timeoutMs',
    wrong: 'timoutMs',
    error: /Property 'timoutMs' does not exist/,
  },
  {
    what: 'the phase of an event',
    code: (word) => `/** @import {ClientEvent} from 'src/messages.js' */
/** @param {ClientEvent} event */
export const isWarm = (event) => event.event === 'progress' && event.phase === '${word}';`,
    right: 'warm',
    wrong: 'wram',
    error: /This comparison appears to be unintentional/,
  },
  {
    what: 'a message that is sent to a role',
    code: (word) => `/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @param {RoleProcess<'client'>} client */
export const send = (client) => client.send({type: '${word}'});`,
    right: 'go',
    wrong: 'goo',
    error: /Type '"goo"' is not assignable/,
  },
  {
    what: 'a message that only the other role understands',
    code: (word) => `/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @param {RoleProcess<'server'>} server */
export const send = (server) => server.send({type: '${word}'});`,
    right: 'mark',
    wrong: 'start',
    error: /Type '"start"' is not assignable/,
  },
  {
    what: 'a setting in a message',
    code: (word) => `/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @import {ClientSettings} from 'src/messages.js' */
/** @param {RoleProcess<'client'>} client @param {ClientSettings} settings */
export const send = (client, settings) =>
  client.send({type: 'configure', options: {...settings, ${word}: []}});`,
    right: 'certificates',
    wrong: 'certificats',
    error: /'certificats' does not exist in type/,
  },
  {
    what: 'an event that is waited for',
    code: (word) => `import {named} from 'src/protocol.js';
/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @param {RoleProcess<'client'>} client @param {AbortSignal} signal */
export const wait = (client, signal) => client.waitFor(named('${word}'), signal);`,
    right: 'result',
    wrong: 'reslut',
    error: /'"reslut"' is not assignable/,
  },
  {
    what: 'a phase that is waited for',
    code: (word) => `import {inPhase} from 'src/protocol.js';
/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @param {RoleProcess<'client'>} client @param {AbortSignal} signal */
export const wait = (client, signal) => client.waitFor(inPhase('${word}'), signal);`,
    right: 'warm',
    wrong: 'warm ',
    error: /'"warm "' is not assignable/,
  },
  {
    what: 'a field of an event that was waited for',
    code: (word) => `import {inPhase} from 'src/protocol.js';
/** @import {RoleProcess} from 'src/hosts/role-process.js' */
/** @param {RoleProcess<'server'>} server @param {AbortSignal} signal */
export const wait = async (server, signal) => (await server.waitFor(inPhase('mark'), signal)).${word};`,
    right: 'served',
    wrong: 'serverd',
    error: /Property 'serverd' does not exist/,
  },
  {
    what: 'a field of an event that a role writes',
    code: (word) => `/** @import {Output} from 'src/roles/script.js' */
/** @param {Output} output */
export const emit = (output) => output.emit({event: 'progress', phase: 'count', ${word}: 1});`,
    right: 'received',
    wrong: 'recieved',
    error: /'recieved' does not exist in type/,
  },
  {
    what: 'a figure that only one workload finds',
    code: (word) => `/** @import {CacheResult} from 'src/workloads/cached/client.js' */
/** @type {CacheResult['notes']} */
export const notes = {hits: 1, ${word}: 2};`,
    right: 'misses',
    wrong: 'missses',
    error: /'missses' does not exist in type/,
  },
  {
    what: 'a field of a merged trial',
    code: (word) => `/** @import {MeasuredTrial} from 'src/results/types.js' */
/** @param {MeasuredTrial} trial */
export const read = (trial) => trial.counts.${word};`,
    right: 'verified',
    wrong: 'verifed',
    error: /Property 'verifed' does not exist/,
  },
  {
    what: 'a field of a record',
    code: (word) => `/** @import {CompletedRecord} from 'src/results/record-schema.js' */
/** @param {CompletedRecord} record */
export const read = ({throughput}) => throughput.${word};`,
    right: 'messagesPerSecond',
    wrong: 'messagePerSecond',
    error: /Property 'messagePerSecond' does not exist/,
  },
  {
    what: 'a field of a line in the journal',
    code: (word) => `/** @import {RecordedBattle} from 'src/session/types.js' */
/** @param {RecordedBattle} recorded */
export const read = ({battle}) => battle.owner.${word};`,
    right: 'startTime',
    wrong: 'startedTime',
    error: /Property 'startedTime' does not exist/,
  },
  {
    what: 'a setting in the variant of any transport',
    code: (word) => `/** @import {Variant} from 'src/settings/types.js' */
/** @param {Variant} variant */
export const read = (variant) => variant.${word};`,
    right: 'clients',
    wrong: 'cleints',
    error: /Property 'cleints' does not exist/,
  },
  {
    what: 'a setting in the variant of one transport',
    code: (word) => `/** @import {Variant} from 'src/settings/types.js' */
/** @param {Variant<'${word}'>} variant */
export const read = ({deliveryMode}) => deliveryMode;`,
    right: 'rabbitmq',
    wrong: 'http',
    error: /Property 'deliveryMode' does not exist/,
  },
  {
    what: 'what a transport declares of its settings',
    code: (word) => `/** @import {HttpSettings} from 'src/transports/http/index.js' */
/** @import {Transport} from 'src/transports/transport.js' */
/** @type {Pick<Transport<HttpSettings>, 'refuse'>} */
export const transport = {refuse: ({${word}}) => (${word} ? 'No.' : null)};`,
    right: 'etag',
    wrong: 'eTag',
    error: /Property 'eTag' does not exist/,
  },
  {
    what: 'what a pair reads of its settings',
    code: (word) => `/** @import {Client, ConnectSettings, Transport} from 'src/transports/transport.js' */
/** @param {ConnectSettings} settings @returns {Promise<Client>} */
const connect = async ({${word}: [address]}) => Promise.reject(address);
/** @type {NonNullable<Transport['client']>} */
export const client = async () => ({connect});`,
    right: 'servers',
    wrong: 'server',
    error: /Property 'server' does not exist/,
  },
  {
    what: 'a setting of check-adapter',
    code: (word) => `import {readOptions} from 'src/cli/read-settings.js';
import {optionsOfCheckAdapter} from 'src/settings/index.js';
export const {${word}} = (await readOptions([], optionsOfCheckAdapter, 'check-adapter')).values;`,
    right: 'json',
    wrong: 'jsno',
    error: /Property 'jsno' does not exist/,
  },
  {
    what: 'a setting that check-adapter does not have',
    code: (word) => `import {readOptions} from 'src/cli/read-settings.js';
import {optionsOfCheckAdapter} from 'src/settings/index.js';
export const {${word}} = (await readOptions([], optionsOfCheckAdapter, 'check-adapter')).values;`,
    right: 'external',
    wrong: 'folder',
    error: /Property 'folder' does not exist/,
  },
  {
    what: 'the settings that a workload hands to its client',
    code: (word) => `/** @import {Workload, WorkloadContext} from 'src/workloads/workload.js' */
/** @param {WorkloadContext<{${word}: number}>} context @returns {Promise<never>} */
const measure = async ({options}) => Promise.reject(options.${word});
/** @type {Pick<Workload<{window: number}>, 'client'>} */
export const workload = {client: async () => measure};`,
    right: 'window',
    wrong: 'windows',
    error: /Property 'windows' is missing/,
  },
];

describe('the type checker', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let folder;
  /** What it says, by file. @type {Map<string, string[]>} */
  let errors;
  before(async () => {
    // In the project, so that its sources find their libraries and the checker its settings.
    folder = await mkdtemp(join(root, '.types-'));
    const settings = {extends: join(root, 'tsconfig.json'), include: ['*.js']};
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    for (const [index, {code, right, wrong}] of cases.entries()) {
      const write = (/** @type {string} */ name, /** @type {string} */ word) =>
        writeFile(join(folder, `${name}-${index}.js`), `${code(word).replaceAll("'src/", "'../src/")}\n`);
      await write('right', right);
      await write('wrong', wrong);
    }
    errors = check(folder);
  });
  after(() => rm(folder, {recursive: true, force: true}));

  for (const [index, {what, right, wrong, error}] of cases.entries()) {
    it(`accepts ${right} and refuses ${wrong}: ${what}`, () => {
      assert.deepEqual(errors.get(`right-${index}.js`) ?? [], []);
      assert.match(errors.get(`wrong-${index}.js`)?.join('\n') ?? '', error);
    });
  }
});

/** @param {string} folder */
function check(folder) {
  const {stdout} = spawnSync(compiler, ['--noEmit', '--pretty', 'false', '-p', folder], {encoding: 'utf8'});
  /** @type {Map<string, string[]>} */
  const errors = new Map();
  let file = '';
  for (const line of stdout.split('\n')) {
    file = /^(?:.*\/)?([^/]+\.js)\(\d+,\d+\): error/.exec(line)?.[1] ?? file;
    errors.set(file, [...(errors.get(file) ?? []), line]);
  }
  return errors;
}
