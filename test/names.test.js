import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {brokerKinds} from '../src/brokers/index.js';
import {exportFormats} from '../src/exports/index.js';
import {presetNames} from '../src/presets/index.js';
import {transports} from '../src/transports/index.js';
import {workloads} from '../src/workloads/index.js';
import {literalsOf} from './support/string-literals.js';

/**
 * What the program knows of a workload, a transport, a broker kind, a preset or an export stands in its declaration. So no shared file
 * holds its name, or its label, as a string.
 */

const source = fileURLToPath(new URL('../src/', import.meta.url));

const names = {
  workloads: Object.keys(workloads),
  transports: transports.flatMap(({name, label}) => [name, label]),
  brokers: brokerKinds.map(({name}) => name),
  presets: presetNames,
  exports: exportFormats.map(({name}) => name),
};

/** Presets ask for workloads and transports by name, and the published figures are texts of others. */
const mayHoldAll = ['presets/', 'results/published/'];

/** Whether a file belongs to one declaration: it is the file of it, or in its folder. @param {string} path */
function isOwn(path) {
  if (mayHoldAll.some((folder) => path.startsWith(folder))) return true;
  return Object.entries(names).some(([room, all]) =>
    all.some((name) => path === `${room}/${name}.js` || path.startsWith(`${room}/${name}/`)),
  );
}

const shared = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(
  (path) => path.endsWith('.js') && path.includes('/') && !isOwn(path),
);

test('no shared file holds the name of a workload, transport, broker kind, preset or export', () => {
  const all = [...new Set(Object.values(names).flat())];
  const found = shared.flatMap((path) => {
    const literals = new Set(literalsOf(readFileSync(`${source}${path}`, 'utf8')));
    return all.filter((name) => literals.has(name)).map((name) => `${path}: '${name}'`);
  });
  assert.deepEqual(found, []);
});

test('the hosts on EC2 take what they install from the declaration of the broker kind', () => {
  const ofBrokers = brokerKinds.flatMap(({name, label, program}) => [name, label, program]);
  const found = shared
    .filter((path) => path.startsWith('ec2/'))
    .flatMap((path) => literalsOf(readFileSync(`${source}${path}`, 'utf8')))
    .filter((literal) => ofBrokers.some((name) => literal.toLowerCase().includes(name.toLowerCase())));
  assert.deepEqual(found, []);
});

test('a literal is found in each of its spellings, and not in a comment or an import', () => {
  const code = [
    "import {rtt} from 'rtt';",
    "/* 'comment' */ const one = 'single';",
    "  // 'line'",
    'const two = "double";',
    'const three = `template`;',
    `const four = \`head \${one + \`inner \${two} end\`} tail\`;`,
    "const five = /`'/.test(one) ? 6 / two / 'divisor' : {three};",
    "const six = 'last';",
  ].join('\n');
  assert.deepEqual(literalsOf(code), [
    'single',
    'double',
    'template',
    'head ',
    'inner ',
    ' end',
    ' tail',
    'divisor',
    'last',
  ]);
});
