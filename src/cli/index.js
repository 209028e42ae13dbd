import {existsSync} from 'node:fs';
import {PerfBattleError, UsageError} from '../errors.js';
import {refuseFewOpenFiles} from '../files/open-files.js';
import {quote} from '../files/quote.js';
import {printText} from '../report/terminal.js';

/** A command is loaded only when it is used, so that `--help` is fast. It returns its exit code. @type {Record<string, () => Promise<typeof run>>} */
const commands = {
  battle: async () => (await import('./battle.js')).battle,
  table: async () => (await import('./table.js')).table,
  choose: async () => (await import('./choose.js')).choose,
  compare: async () => (await import('./compare.js')).compare,
  ab: async () => (await import('./ab.js')).ab,
  faults: async () => (await import('./faults.js')).faults,
  report: async () => (await import('./report.js')).report,
  chart: async () => (await import('./report.js')).chart,
  doctor: async () => (await import('./doctor.js')).doctor,
  'check-transport': async () => (await import('./check.js')).checkTransport,
  'check-adapter': async () => (await import('./check.js')).checkAdapter,
  ec2: async () => (await import('./ec2.js')).ec2,
  completion: async () => (await import('./completion.js')).completion,
  install: async () => (await import('./install.js')).install,
  init: async () => (await import('./init.js')).init,
  serve: async () => (await import('./halves.js')).serve,
  call: async () => (await import('./halves.js')).call,
  help: async () => (await import('./help.js')).help,
};

const noCommand = ' A battle needs no command: perf-battle --quick.';
const lists = ' perf-battle table shows stored results, and perf-battle --list-presets the presets.';

/** What to write instead of words that are commands of other programs. @type {ReadonlyMap<string, string>} */
const otherWords = new Map([
  ['run', noCommand],
  ['start', noCommand],
  ['list', lists],
  ['ls', lists],
  ['version', ' Did you mean --version?'],
]);

/** Runs the command that a command line names, and prints its error. @param {readonly string[]} commandLine @param {AbortSignal} signal */
export async function runProgram(commandLine, signal) {
  try {
    return await run(commandLine, signal);
  } catch (error) {
    const expected = error instanceof PerfBattleError;
    const text = expected ? error.message : /** @type {Error} */ (error).stack;
    printText(`perf-battle: ${text}`);
    return expected ? error.exitCode : 1;
  }
}

/**
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @throws {UsageError} for an unknown command, or if the limit of open files is too low
 */
export async function run(commandLine, signal) {
  refuseFewOpenFiles();
  const [first, ...rest] = commandLine;
  const named = first !== undefined && !first.startsWith('-');
  if (named && !Object.hasOwn(commands, first)) {
    const names = Object.keys(commands);
    const {adviceOnWord} = await import('./read-settings.js');
    const advice =
      otherWords.get(first) ?? (adviceOnWord(first, names) || ` The commands are: ${names.join(', ')}.`);
    throw new UsageError(`${quote(first)} is not a command.${advice} See --help.`);
  }
  const words = named ? withoutHelpWord(first, rest) : commandLine;
  const command = named ? first : 'battle';
  if (takesTransports.has(command) && namesTransports(words)) {
    refuseDeletedFolder();
    await (await import('./read-settings.js')).bringNamed(words);
  }
  // serve and call print the help of their transport themselves.
  const isHalf = ['serve', 'call'].includes(first) && words[0] !== undefined && !words[0].startsWith('-');
  const help = isHalf ? null : askedHelp(words);
  if (help !== null) {
    const {printHelp} = await import('./help.js');
    printHelp(command, help.topic);
    return 0;
  }
  if (!isHalf && (words.includes('--version') || words.includes('-V'))) {
    const {packageVersion} = await import('../session/versions.js');
    process.stdout.write(`${await packageVersion()}\n`);
    return 0;
  }
  refuseDeletedFolder();
  const runCommand = await commands[command]();
  return runCommand(words, signal);
}

/** Reads `choose help` as `choose --help`, unless it names a file. @param {string} command @param {readonly string[]} words */
function withoutHelpWord(command, words) {
  const isAsked = command !== 'help' && words.length === 1 && words[0] === 'help' && !existsSync('help');
  return isAsked ? ['--help'] : words;
}

/** Finds `--help`, `--help rabbitmq` and `--help=rabbitmq`. @param {readonly string[]} words */
function askedHelp(words) {
  const at = words.findIndex((word) => /^(?:--help|-h)(?:=|$)/.test(word));
  if (at === -1) return null;
  const [, inWord] = words[at].split('=');
  const next = words[at + 1]?.startsWith('-') ? undefined : words[at + 1];
  return {topic: inWord || next};
}

const takesTransports = new Set(['battle', 'choose', 'ab', 'faults', 'ec2', 'doctor']);

/** Whether transports may be named. The module that reads the names is loaded only in this case. @param {readonly string[]} words */
function namesTransports(words) {
  const isNamed = words.some((word) => /^(?:-t|--transport|--scenario)/.test(word));
  return isNamed || ['PB_TRANSPORT', 'PB_SCENARIO'].some((name) => process.env[name]) || existsSync('.env');
}

/** Results, the journal and .env are read from the working directory. */
function refuseDeletedFolder() {
  try {
    process.cwd();
  } catch (cause) {
    throw new UsageError('The working directory does not exist any more. Change to another one.', {cause});
  }
}
