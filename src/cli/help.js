import yargs from 'yargs';
import {optionsOfBattle, optionsOfTable} from '../options/all.js';
import {listOf} from '../options/types.js';

/** @type {Record<string, {options: readonly import('../options/option.js').Option[], usage: string}>} */
const pages = {
  battle: {
    options: optionsOfBattle,
    usage: `Examples:
  npx perf-battle                                   the whole battle on this host, about 4 minutes
  npx perf-battle --quick                           a first look, about a minute
  npx perf-battle --transport rabbitmq --payload 1kb,100kb --delivery-mode 2
  npx perf-battle --transport rabbitmq --rabbitmq-confirms off,on
  npx perf-battle --dry-run                         what would run, and in which order
  npx perf-battle table --into README.md            the table again, from the journal

Round-trip times of HTTP, WebSockets and RabbitMQ beside raw TCP: a table here, rows in results.md.

Usage: perf-battle [options]
       perf-battle table [options]      (see perf-battle table --help)

An option can also be set by its PB_ name in the environment or in .env. Lists take commas and repeats.`,
  },
  table: {
    options: optionsOfTable,
    usage: `Examples:
  npx perf-battle table                             print the newest results as a markdown table
  npx perf-battle table --detail                    with interval, percentiles, CPU and verdict
  npx perf-battle table --into README.md            write it between the markers of a file
  npx perf-battle table --into README.md --check    exit with 1 when that file is out of date

Usage: perf-battle table [options]`,
  },
};

/**
 * Prints a command's help, made from the declarations of its options.
 * @param {string} command
 */
export async function printHelp(command) {
  const {options, usage} = pages[command];
  const help = yargs([])
    .help(false)
    .version(false)
    .wrap(Math.min(110, process.stdout.columns ?? 110))
    .updateStrings({default: 'default:'});
  for (const option of options)
    help.option(option.name, {describe: describe(option), group: `${option.group}:`});
  help
    .option('help', {describe: 'This text', group: 'Else:'})
    .option('version', {describe: 'The version', group: 'Else:'});
  process.stdout.write(`${usage}\n\n${(await help.getHelp()).trim()}\n`);
}

/** @param {import('../options/option.js').Option} option */
function describe({help, environmentName, battleDefault, type, list, secret}) {
  const shown =
    battleDefault === null || secret
      ? ''
      : `; default ${(list ? listOf(type) : type).format(/** @type {any} */ (battleDefault))}`;
  return `${help} [${environmentName}${shown}]`;
}
