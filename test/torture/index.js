import {parseArgs} from 'node:util';
import {parts} from './parts.js';

/** @import {Part} from './part.js' */

/** Runs the parts of the torture that are named, or all of them, in their long form. `npm run torture -- --help` explains it. */

const usage = `Usage: npm run torture -- [options] [part ...]

  --short      the short form that npm test runs
  --seed N     of all that is random; by default drawn anew, and printed
  --count N    how often "exits" starts each pair under each version of Node.js (default 50), "files" and "races"
               repeat their attacks (20), "hosts" attacks (20), "kills" kills (200), and "programs" runs a pair (60)
  --at-once N  how many of these pairs run at the same time, on the same cores; default 1
  --help

Parts:
${parts.map(({name, summary}) => `  ${name.padEnd(10)}  ${summary}`).join('\n')}
`;

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    short: {type: 'boolean'},
    seed: {type: 'string'},
    count: {type: 'string'},
    'at-once': {type: 'string'},
    help: {type: 'boolean'},
  },
});
const unknown = positionals.filter((name) => !parts.some((part) => part.name === name));
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const [count, atOnce] = [values.count, values['at-once']].map((value) =>
  value === undefined ? undefined : Number(value),
);

if (values.help) process.stdout.write(usage);
else if (unknown.length > 0 || ![seed, count ?? 1, atOnce ?? 1].every(Number.isInteger)) {
  process.stderr.write(`There is no part ${unknown.join(', ')}, or a number is no whole number.\n\n${usage}`);
  process.exitCode = 2;
} else {
  process.stdout.write(`Seed ${seed}.\n`);
  for (const part of parts) {
    if (positionals.length > 0 && !positionals.includes(part.name)) continue;
    await runPart(part);
  }
}

/** @param {Part} part */
async function runPart({name, run}) {
  const startedAt = performance.now();
  const log = (/** @type {string} */ line) => void process.stderr.write(`${name}: ${line}\n`);
  const {counts, failures} = await run({isLong: !values.short, seed, count, atOnce, log});
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`\n${name}, ${seconds} s\n`);
  for (const [what, count] of Object.entries(counts)) process.stdout.write(`  ${what}: ${count}\n`);
  for (const failure of failures) process.stdout.write(`  FAILED: ${failure}\n`);
  if (failures.length > 0) process.exitCode = 1;
}
