import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {readSide} from '../../src/compare/read-side.js';
import {findSshKey} from '../../src/ec2/ssh.js';
import {checkGivenFile} from '../../src/files/given-file.js';
import {maskPassword, quote} from '../../src/files/quote.js';
import {cannotWrite} from '../../src/files/writable-file.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {checkFiles} from '../../src/settings/broker-settings.js';
import {textsOf} from '../../src/settings/given.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {readSides} from '../../src/sides/read-sides.js';

const url = 'amqp://u:s3cret@h';

describe('a password in a text that a person gave', () => {
  for (const [text, shown] of [
    [url, 'amqp:***@h'],
    ['u:s3cret@h', 'u:***@h'],
    ['x=amqp://u:s3cr@cret@h,u', 'x=amqp:***@h,u'],
    ['amqp://u:s3cret', 'amqp://u:***'],
    ['http://host:8080/path', 'http://host:8080/path'],
    ['http://host:8080', 'http://host:8080'],
    ['folder=C:\\perf', 'folder=C:\\perf'],
    ['ws@8.18', 'ws@8.18'],
  ])
    it(`is masked where there may be one: ${text}`, () => {
      assert.equal(maskPassword(text), shown);
      assert.equal(quote(text), JSON.stringify(shown));
    });

  const options = {scope: /** @type {const} */ ('battle'), mine: optionsOfBattle};
  const battle = (/** @type {string[]} */ ...words) =>
    resolveOptions(allOptions, {...options, ...readCommandLine(optionsOfBattle, words)});

  /** @type {Record<string, () => unknown>} */
  const refused = {
    'the reason of an expectation': () => battle('--expect', `${url} p99<5ms`),
    'a limit': () => battle('--expect', `< ${url}`),
    'an expectation, cut at a sign of it': () => battle('--expect', 'amqp://u:s3cret<x@h p99<5ms'),
    'the name of a setting of an expectation': () => battle('--expect', 'amqp://u:s3cret=x@h p99<5ms'),
    'one of several expectations': () => battle('--expect', `http p99<5ms;${url} p99<5ms`),
    'a pair of programs': () => battle('--external', `x=run ${url}`),
    'a host': () => battle('--server-on', 'u:s3cret@h'),
    'a number': () => battle('--samples', url),
    'a name of several': () => battle('--transport', `http,${url}`),
    cores: () => battle('--pin', url),
    'an option': () => battle(`--${url}`),
    'a variable of .env': () =>
      resolveOptions(allOptions, {...options, envFile: {[`PB_BROKER ${url}/?x`]: 'y'}}),
    'a setting of a scenario': () => textsOf({[url]: 1}, 'scenario'),
    'a side': () => readSides({a: null, b: `x=${url}`}),
    'a side, cut at a space of it': () => readSides({a: null, b: 'x=amqp://u:s3cret y@h'}),
    'the folder of a side': () => readSides({a: null, b: `folder=${url}`}),
    'a file': () => checkGivenFile(url, {maxBytes: 1}),
    'the file of an option': () => checkFiles(optionsOfBattle, battle('--payload-file', url)),
    'a file to write': () => {
      throw cannotWrite(`${url}/results.md`, 'its folder does not exist.');
    },
  };
  for (const [where, refuse] of Object.entries(refused))
    it(`is not shown in the message about ${where}`, () => {
      assert.throws(refuse, (/** @type {Error} */ error) => {
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    });

  /** @type {Record<string, () => Promise<unknown>>} */
  const rejected = {
    'a battle': () => readSide(url, {results: `${url}.md`, warn: () => {}}),
    'an ssh key': () => findSshKey(url, '/none'),
  };
  for (const [where, reject] of Object.entries(rejected))
    it(`is not shown in the message about ${where}`, async () => {
      await assert.rejects(reject, (/** @type {Error} */ error) => {
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    });
});
