import assert from 'node:assert/strict';
import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {codeFolders} from '../../../src/brokers/rabbitmq/installation.js';
import {makeBase} from '../../integration/brokers/leftovers.js';

describe('the folders of modules', () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true}));

  /**
   * @param {string} folder such as ssl-10.8.7
   * @param {number} modules
   * @param {string} [needs] as its description lists them
   * @returns {Promise<string>} the application's folder
   */
  async function install(folder, modules, needs = 'kernel,stdlib') {
    const application = join(base, folder);
    const code = join(application, 'ebin');
    await mkdir(code, {recursive: true});
    const name = folder
      .split('/')
      .at(-1)
      ?.replace(/-[\d.]+$/, '');
    await writeFile(
      join(code, `${name}.app`),
      `{application, ${name}, [{vsn, "1"},\n  {applications,\n   [${needs}]},\n  {env, []}]}.\n`,
    );
    for (let index = 0; index < modules; index += 1) await writeFile(join(code, `${name}_${index}.beam`), '');
    return application;
  }

  /** @param {readonly string[]} found */
  const namesOf = (found) => found.map((folder) => folder.slice(base.length + 1));

  it('are of RabbitMQ and what it needs, at first or second hand, the largest first', async () => {
    const installed = [
      await install('kernel-8.5.3', 6, ''),
      await install('rabbit-3.10.8', 3, 'kernel, ra,\n    ssl %% for TLS\n'),
      await install('ra-2.2.0', 1, 'kernel,aten'),
      await install('aten-0.5.8', 2, 'kernel,ra'),
      await install('ssl-10.8.7', 5),
      await install('mnesia-4.21', 4),
      await install('rabbitmq_management-3.10.8', 9, 'rabbit'),
    ];
    assert.deepEqual(namesOf(await codeFolders(installed)), [
      'kernel-8.5.3/ebin',
      'ssl-10.8.7/ebin',
      'mnesia-4.21/ebin',
      'rabbit-3.10.8/ebin',
      'aten-0.5.8/ebin',
      'ra-2.2.0/ebin',
    ]);
  });

  it('leave to Erlang what is there in several versions, in an archive, or in a folder with a space', async () => {
    const installed = [
      await install('another/kernel-8.5', 1),
      await install('another/rabbit-4.1.0', 3, 'kernel,ssl,crypto,ra,khepri'),
      await install('another/ssl-10.8.7', 2),
      await install('another/ssl-10.8.10', 2),
      await install('with space/crypto-5.1', 2),
      join(base, 'another/ra-2.2.0.ez'),
    ];
    assert.deepEqual(namesOf(await codeFolders(installed)), [
      'another/rabbit-4.1.0/ebin',
      'another/kernel-8.5/ebin',
    ]);
  });

  it('are not given for a later Erlang, or where its libraries are not known', async () => {
    const rabbit = await install('new/rabbit-4.1.0', 3);
    assert.deepEqual(await codeFolders([rabbit, await install('new/kernel-10.3', 2)]), []);
    assert.deepEqual(await codeFolders([rabbit]), []);
    assert.deepEqual(await codeFolders([]), []);
  });
});
