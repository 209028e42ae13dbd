import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {makeShipment, packShipment} from '../../../src/hosts/shipment.js';

test('a shipment contains what a role needs, and no development tools', async () => {
  const {name, files, base, entry} = makeShipment();
  const {version} = JSON.parse(await readFile(join(base, entry, 'package.json'), 'utf8'));
  assert.match(name, new RegExp(`^${version.replaceAll('.', '\\.')}-[0-9a-f]{16}$`));
  for (const needed of [
    'src/rabbitmq-client.js',
    'src/brokers/supervisor.js',
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

test('shipments with the same contents have the same name', async () => {
  assert.equal(makeShipment().name, makeShipment().name);
});

test('an unpacked shipment runs without anything else', async () => {
  const shipment = makeShipment();
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-shipment-'));
  try {
    const tar = spawn('tar', ['-xzf', '-', '-C', folder], {stdio: ['pipe', 'ignore', 'inherit']});
    packShipment(shipment).pipe(tar.stdin);
    assert.equal((await once(tar, 'close'))[0], 0);
    const bin = join(folder, shipment.entry, 'bin/perf-battle.js');
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
