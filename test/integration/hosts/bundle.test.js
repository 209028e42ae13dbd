import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join, relative} from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {makeBundle, packBundle} from '../../../src/hosts/bundle.js';

test('a bundle contains what a role needs, and no development tools', async () => {
  const {name, files, base, entry} = makeBundle();
  const {version} = JSON.parse(await readFile(join(base, entry, 'package.json'), 'utf8'));
  assert.match(name, new RegExp(`^${version.replaceAll('.', '\\.')}-[0-9a-f]{16}$`));
  for (const needed of [
    'src/rabbitmq-client.js',
    'src/brokers/supervisor.js',
    'infra/packages.sh',
    'infra/rabbitmq/install.sh',
    'package.json',
  ])
    assert.ok(files.includes(join(entry, needed)), needed);
  for (const dependency of ['amqplib', 'ws', 'express'])
    assert.ok(
      files.some((file) => file.includes(`node_modules/${dependency}/`)),
      dependency,
    );
  assert.ok(!files.some((file) => /node_modules\/(@biomejs|typescript|fast-check)\//.test(file)));
  assert.ok(!files.some((file) => /\.(md|cc?|h)$/.test(file) || file.startsWith('test/')));
});

test('bundles with the same contents have the same name', async () => {
  assert.equal(makeBundle().name, makeBundle().name);
});

test('an unpacked bundle runs without anything else', async () => {
  const bundle = makeBundle();
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-bundle-'));
  try {
    const tar = spawn('tar', ['-xzf', '-', '-C', folder], {stdio: ['pipe', 'ignore', 'inherit']});
    packBundle(bundle).pipe(tar.stdin);
    assert.equal((await once(tar, 'close'))[0], 0);
    const bin = join(folder, bundle.entry, 'bin/perf-battle.js');
    const child = spawn(process.execPath, [bin, '--dry-run', '--quick'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    assert.equal((await once(child, 'close'))[0], 0);
    assert.match(said, /RabbitMQ/);
    assert.ok((await readdir(folder)).length > 0);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
});

test('the package of a transport goes along with what it depends on, without hidden files, unless it is too large', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-bundle-'));
  const dependencies = {helper: '1', missing: '1', 'perf-battle': '*'};
  /** @type {Record<string, string>} */
  const written = {
    'own/package.json': JSON.stringify({name: 'own', version: '1.0.0', type: 'module', dependencies}),
    'own/lib/index.js': 'export default {};',
    'own/.git/config': '',
    'own/node_modules/helper/package.json': '{"name": "helper", "version": "1.0.0"}',
    'own/node_modules/helper/index.js': '',
    'own/node_modules/perf-battle/package.json': '{"name": "perf-battle", "version": "0.0.1"}',
  };
  try {
    for (const [path, text] of Object.entries(written)) {
      await mkdir(dirname(join(folder, path)), {recursive: true});
      await writeFile(join(folder, path), text);
    }
    const {href} = pathToFileURL(join(folder, 'own/lib/index.js'));
    const {base, files, name} = makeBundle([href]);
    const own = files.map((file) => join(base, file)).filter((file) => file.startsWith(folder));
    assert.deepEqual(
      own.map((file) => relative(folder, file)),
      [
        'own/lib/index.js',
        'own/node_modules/helper/index.js',
        'own/node_modules/helper/package.json',
        'own/package.json',
      ],
    );
    assert.notEqual(name, makeBundle().name);
    await writeFile(join(folder, 'own/large.bin'), '');
    await truncate(join(folder, 'own/large.bin'), 65 * 1024 ** 2);
    assert.throws(() => makeBundle([href]), {
      code: 'PB_NOT_SHIPPABLE',
      message: /own cannot be copied .* it has 65 MB/,
    });
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
});
