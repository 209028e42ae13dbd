import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {pathOf} from './harness.js';
import {runNode} from './processes.js';

/** Third-party load generators are kept in the cache of this clone. */

const cache = pathOf('../node_modules/.cache/perf-battle');
const run = promisify(execFile);

/** The payload of all rows of own-tools. */
export const payloadBytes = 1024;

/** @param {string} prefix @param {(folder: string) => Promise<Result>} work @template Result */
async function inTemporaryFolder(prefix, work) {
  // A folder of jars is moved into the cache, which may be on another file system than /tmp.
  await mkdir(cache, {recursive: true});
  const folder = await mkdtemp(join(cache, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, {recursive: true});
  }
}

/**
 * Fetches a program from Maven Central with its dependencies.
 * @param {{group: string, artifact: string, version: string}} named @param {AbortSignal} signal
 * @returns {Promise<string>} the folder of its jars
 */
export async function fetchJars({group, artifact, version}, signal) {
  const jars = join(cache, `${artifact}-${version}`);
  if (existsSync(jars)) return jars;
  const project = `<project><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
<dependencies><dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>
<version>${version}</version></dependency></dependencies></project>`;
  await inTemporaryFolder('perf-battle-jars-', async (folder) => {
    await writeFile(join(folder, 'pom.xml'), project);
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime'];
    await run('mvn', ['-q', '-B', ...goal, `-DoutputDirectory=${folder}/jars`], {cwd: folder, signal});
    await rename(join(folder, 'jars'), jars);
  });
  return jars;
}

/**
 * Builds a program from the Go module proxy.
 * @param {{program: string, version: string}} named program: its Go import path @param {AbortSignal} signal
 * @returns {Promise<string>} its path
 */
export async function fetchGoProgram({program, version}, signal) {
  const folder = join(cache, `go-${version}`);
  const file = join(folder, program.slice(program.lastIndexOf('/') + 1));
  if (!existsSync(file))
    await run('go', ['install', `${program}@${version}`], {signal, env: {...process.env, GOBIN: folder}});
  return file;
}

/**
 * Runs one round of a battle with one transport and the floor.
 * @param {string} transport @param {readonly string[]} flags @param {Record<string, string>} settings PB_ names, of the broker
 * @param {AbortSignal} signal @returns {Promise<any>} the cell of the transport
 */
export async function battleCell(transport, flags, settings, signal) {
  const printed = await inTemporaryFolder('perf-battle-tools-', async (folder) =>
    runNode(
      [
        pathOf('../bin/perf-battle.js'),
        '--transport',
        transport,
        '--rounds',
        '1',
        '--json',
        '--quiet',
        ...flags,
      ],
      {settings: {...settings, PB_RESULTS: join(folder, 'results.md')}, signal, asRole: false},
    ),
  );
  const {cells} = JSON.parse(printed);
  const found = cells.find((/** @type {{transport: string}} */ cell) => cell.transport === transport);
  if (found?.outcome !== 'completed')
    throw new Error(`A battle with ${transport} gave no figures: ${printed.slice(0, 2000)}`);
  return found;
}

/** @param {Buffer} content @param {(file: string) => Promise<number>} use */
export async function withPayloadFile(content, use) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-own-tools-'));
  try {
    const file = join(folder, 'content');
    await writeFile(file, content);
    return await use(file);
  } finally {
    await rm(folder, {recursive: true});
  }
}

/** @param {string} text @param {RegExp} pattern @returns {number} @throws {Error} with the text, if the number is missing */
export function numberIn(text, pattern) {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined)
    throw new Error(`${pattern} is not in what the tool printed:\n${text.slice(-2000)}`);
  return Number(found.replaceAll(',', ''));
}
