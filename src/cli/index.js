import {UsageError} from '../errors.js';

/**
 * The commands. Each is loaded when it is asked for, so that `--help` stays quick.
 * @type {Record<string, {summary: string, load: () => Promise<{run: Command}>}>}
 *
 * @typedef {(commandLine: readonly string[], signal: AbortSignal) => Promise<number>} Command resolves with the exit code
 */
const commands = {
  battle: {
    summary: 'measure and compare (what happens without a command)',
    load: async () => ({run: (await import('./battle.js')).battle}),
  },
  table: {
    summary: 'make the table again from the journal',
    load: async () => ({run: (await import('./table.js')).table}),
  },
  ec2: {
    summary: 'put hosts up on EC2, run a battle there, remove them',
    load: async () => ({run: (await import('./ec2.js')).ec2}),
  },
};

/**
 * Runs the command that a command line names.
 * @type {Command}
 * @throws {UsageError} for an unknown command
 */
export async function run(commandLine, signal) {
  const [first, ...rest] = commandLine;
  const named = first !== undefined && !first.startsWith('-');
  if (named && !Object.hasOwn(commands, first)) {
    throw new UsageError(
      `${JSON.stringify(first)} is not a command. There are: ${Object.keys(commands).join(', ')}. See --help.`,
    );
  }
  const words = named ? rest : commandLine;
  if (words.includes('--help') || words.includes('-h')) {
    const {printHelp} = await import('./help.js');
    printHelp(named ? first : 'battle');
    return 0;
  }
  if (words.includes('--version')) {
    const {printVersion} = await import('./version.js');
    await printVersion();
    return 0;
  }
  const command = await commands[named ? first : 'battle'].load();
  return command.run(words, signal);
}
