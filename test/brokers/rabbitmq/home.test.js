import assert from 'node:assert/strict';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {homeFolder, homeOption, homeSetting, withHomeAsked} from '../../../src/brokers/rabbitmq/home.js';

describe('--rabbitmq-home', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-home-'));
    await mkdir(join(folder, 'whole/sbin'), {recursive: true});
    await mkdir(join(folder, 'whole/plugins/rabbit-4.1.2'), {recursive: true});
    await mkdir(join(folder, 'whole/plugins/rabbit_common-4.1.2'), {recursive: true});
    await writeFile(join(folder, 'whole/sbin/rabbitmq-server'), '#!/bin/sh\n', {mode: 0o755});
  });
  after(() => rm(folder, {recursive: true}));

  it('is installed, a version or a folder', () => {
    const {parse} = homeOption.type;
    assert.deepEqual(
      ['installed', '4', '3.10.8', './here', '/there', '~/mine'].map((text) => parse(text)),
      ['installed', '4', '3.10.8', resolve('here'), '/there', join(homedir(), 'mine')],
    );
    for (const wrong of ['', 'newest', '4.', 'v4', 'here']) assert.equal(parse(wrong), undefined, wrong);
  });

  it('is a row by its version', () => {
    const {label} = homeOption;
    assert.deepEqual(
      ['installed', '4', join(folder, 'whole'), '/nowhere'].map((value) => label?.(value)),
      ['installed version', 'version 4', 'version 4.1.2', 'version /nowhere'],
    );
  });

  it('is a setting of a private broker, unless nobody asked for one', () => {
    assert.deepEqual(homeSetting({rabbitmqHome: '4'}), {home: '4'});
    assert.deepEqual([homeSetting({rabbitmqHome: null}), homeSetting({})], [{}, {}]);
    // A variant without it is that of earlier records.
    assert.deepEqual(withHomeAsked({rabbitmqHome: null, confirms: true}), {confirms: true});
    assert.deepEqual(withHomeAsked({rabbitmqHome: '4'}), {rabbitmqHome: '4'});
  });

  it('leads to a folder, which must have the server', async () => {
    assert.equal(await homeFolder('installed'), null);
    assert.equal(await homeFolder(join(folder, 'whole')), join(folder, 'whole'));
    await assert.rejects(homeFolder(folder), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: `There is no such RabbitMQ: the folder ${folder} of --rabbitmq-home has no sbin/rabbitmq-server.`,
    });
  });

  it('names a version that is not there, and those that are', async () => {
    await assert.rejects(homeFolder('2.99'), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /--rabbitmq-home 2\.99 is a version that is not on this host, which has /,
    });
  });
});
