import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {explainFileError} from '../files/writable-file.js';
import {namePattern} from '../options/declaration.js';
import {camelCase} from '../options/option.js';
import {printJson} from '../report/for-programs.js';
import {optionsOfInit} from '../settings/index.js';
import {transportNames} from '../transports/index.js';
import {readFlagsAndWords} from './read-settings.js';

const scenarios = {
  quick: {payload: '1kb', quick: true},
  nightly: {payload: ['1kb', '10kb'], rounds: 10},
};

const variables = `# Settings of perf-battle in this folder. Flags and the environment override them.
# Uncomment what you change. perf-battle help options lists all settings and their
# defaults, and so does .env.example of the package.
#PB_TRANSPORT=http,rabbitmq
#PB_PAYLOAD_BYTES=1kb,10kb
#PB_ROUNDS=10
#PB_RABBITMQ_URL=amqp://guest:guest@localhost:5672
`;

const files = [
  {path: '.env', text: variables},
  {path: 'perf-battle.config.json', text: `${JSON.stringify({scenarios}, null, 2)}\n`},
];

/**
 * `perf-battle init`: writes initial settings into the working directory. `init transport NAME` writes an initial transport, and
 * `init adapter NAME` writes two initial programs.
 * @param {readonly string[]} commandLine
 */
export async function init(commandLine) {
  const {values, origins, words} = readFlagsAndWords(commandLine, optionsOfInit);
  const [what, name, ...more] = words;
  if ((what !== undefined && !['transport', 'adapter'].includes(what)) || more.length > 0)
    throw new UsageError(
      `init takes nothing, or "transport" or "adapter" and a name; it was given ${quote(words.join(' '))}. See --help.`,
    );
  if (what !== 'adapter' && origins.language.kind === 'flag')
    throw new UsageError(
      '--language belongs to an adapter: perf-battle init adapter NAME --language python.',
    );
  const {files: wanted, next} = await filesOf(what, name, values.language ?? 'node');
  /** @type {{path: string, isWritten: boolean}[]} */
  const done = [];
  for (const {path, text} of wanted) done.push({path, isWritten: await create(path, text)});
  if (values.json) {
    printJson({files: done});
    return 0;
  }
  const lines = done.map(({path, isWritten}) =>
    isWritten ? `Written: ${path}` : `${path} exists and stays as it is.`,
  );
  process.stdout.write(`${[...lines, `Next: ${next}`].join('\n')}\n`);
  return 0;
}

/** @param {string | undefined} what @param {string | undefined} name @param {string} language the adapter's language */
async function filesOf(what, name, language) {
  if (what === undefined) return {files, next: 'npx perf-battle --scenario quick'};
  if (name === undefined || !namePattern.test(name))
    throw new UsageError(
      `init ${what} must be followed by a name: small letters, digits and hyphens, beginning with a letter. It was given ${name === undefined ? 'none' : quote(name)}.`,
    );
  return what === 'transport' ? await transportFiles(name) : await adapterFiles(name, language);
}

const starters = new URL('../../examples/adapters/starter/', import.meta.url);

/** By language: the commands that start and build the program of an adapter, run in the parent folder. @type {Record<string, (name: string) => {command: string, build?: string}>} */
const startsOf = {
  node: (name) => ({command: `node ${name}/adapter.js`}),
  python: (name) => ({command: `python3 ${name}/adapter.py`}),
  go: (name) => ({command: `${name}/adapter`, build: `(cd ${name} && go build -o adapter .)`}),
};

/** The files of an echo that keeps the contract of adapters. @param {string} name @param {string} language */
async function adapterFiles(name, language) {
  const {command, build} = startsOf[language](name);
  const check = `npx perf-battle check-adapter --external '${name}=${command} server,${command} client'`;
  const own = await copiesOf(new URL(`${language}/`, starters), name, (text) => text);
  return {files: own, next: build === undefined ? check : `${build} && ${check}`};
}

/** @param {URL} folder @param {string} name the name of the new folder @param {(text: string) => string} change */
async function copiesOf(folder, name, change) {
  await mkdir(name, {recursive: true});
  const found = await readdir(folder, {withFileTypes: true});
  const names = found.flatMap((entry) => (entry.isFile() ? entry.name : [])).toSorted();
  return await Promise.all(
    names.map(async (file) => ({
      path: join(name, file),
      text: change(await readFile(new URL(file, folder), 'utf8')),
    })),
  );
}

const example = new URL('../../examples/transports/lines/', import.meta.url);

/** The files of the example in docs/your-own-transport.md, renamed. @param {string} name */
async function transportFiles(name) {
  if (transportNames.some((known) => known === name))
    throw new UsageError(`perf-battle has a transport named ${quote(name)}. Choose another name.`);
  const own = await copiesOf(example, name, (text) => withOwnPackage(renamed(text, name), name));
  return {files: own, next: `npx perf-battle --transport ./${name}`};
}

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The tests of the new folder use the perf-battle that wrote it, which may not be on npm.
 * @param {string} text @param {string} name
 */
function withOwnPackage(text, name) {
  return text.replace('file:../../..', JSON.stringify(`file:${relative(name, packageFolder)}`).slice(1, -1));
}

/** @param {string} text @param {string} name */
function renamed(text, name) {
  const key = camelCase(name);
  const label = name.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase());
  return text
    .replaceAll('linesEncoding', `${key}Encoding`)
    .replaceAll('lines-encoding', `${name}-encoding`)
    .replaceAll('transport-lines', `transport-${name}`)
    .replaceAll('./lines', `./${name}`)
    .replaceAll("'lines'", `'${name}'`)
    .replaceAll("'Lines'", `'${label}'`);
}

/** @param {string} path @param {string} text @returns {Promise<boolean>} false if the file exists; it stays as it is */
async function create(path, text) {
  try {
    await writeFile(path, text, {flag: 'wx'});
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw explainFileError(path, error);
  }
}
