import assert from 'node:assert/strict';
import {test} from 'node:test';
import {maskUrl} from '../../src/net/broker-url.js';
import {option} from '../../src/options/option.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {text} from '../../src/options/types.js';
import {resumeSettings} from '../../src/session/plan-battle.js';
import {describeSettings, publicSettings} from '../../src/settings/describe-settings.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';

const password = 'T0p-secret';
const url = `other://user:${password}@host/`;

/** @import {OptionType} from '../../src/options/contract.js' */

/** @type {OptionType<string>} */
const urlType = {
  ...text('a URL that begins with other://'),
  parse: (value) => (value.startsWith('other://') ? value : undefined),
  mask: maskUrl,
};

/** Options that a person might add some day: nothing else is said of them than this. */
const added = [
  option('other-url', {type: urlType, help: 'Another URL.', group: 'Other', scope: 'battle'}),
  option('other-urls', {type: urlType, list: true, help: 'More.', group: 'Other', scope: 'battle'}),
  option('other-token', {
    ...{type: text('a token'), secret: true, help: 'A token.'},
    ...{group: 'Other', scope: 'battle'},
  }),
];
const options = [...optionsOfBattle, ...added];

/** @param {Record<string, string[]>} flags */
const resolve = (flags) => resolveOptions([...allOptions, ...added], {scope: 'battle', mine: options, flags});

const asked = resolve({
  'other-url': [url],
  'other-urls': [`${url},other://host/`],
  'other-token': [password],
});

test('a new option with a secret is masked by --print-config', () => {
  const printed = describeSettings(asked, options);
  assert.doesNotMatch(printed, /T0p/);
  assert.match(printed, /^--other-url +PB_OTHER_URL +other:\/\/user:\*\*\*@host\/ +--other-url/m);
  assert.match(printed, /^--other-urls +PB_OTHER_URLS +other:\/\/user:\*\*\*@host\/,other:\/\/host\/ /m);
  assert.match(printed, /^--other-token +PB_OTHER_TOKEN +\*\*\* +--other-token/m);
});

test('a new option with a secret comes into the journal and the records without it', () => {
  const stored = publicSettings(asked, options);
  assert.doesNotMatch(JSON.stringify(stored), /T0p/);
  assert.equal(stored.otherUrl, 'other://user:***@host/');
  assert.equal(stored.otherToken, '***');
  const withoutSecrets = publicSettings(resolve({}), options);
  assert.equal(withoutSecrets.otherUrl, null);
  assert.ok(!('otherToken' in withoutSecrets));
});

test('a refused value of a new option with a secret is shown without it', () => {
  assert.throws(() => resolve({'other-url': [`wrong://user:${password}@host/`]}), {
    message: '--other-url must be a URL that begins with other://; it is "wrong://user:***@host/".',
  });
  assert.throws(() => resolve({'other-token': ['T0p\u0001']}), {
    message: '--other-token must be a token; it is another value.',
  });
});

test('a battle that continues takes a secret again, and says which option is missing', () => {
  const stored = publicSettings(asked, options);
  assert.throws(() => resumeSettings(resolve({}), stored, options), {
    code: 'PB_USAGE',
    message: /--other-url other:\/\/user:\*\*\*@host\/.*--resume --other-url .*PB_OTHER_URL/,
  });
  const withUrls = resolve({'other-url': [url], 'other-urls': [url]});
  assert.throws(() => resumeSettings(withUrls, stored, options), {
    code: 'PB_USAGE',
    message: /--other-token \*\*\*.*--resume --other-token VALUE, or PB_OTHER_TOKEN/,
  });
  const resumed = resumeSettings(asked, stored, options);
  assert.equal(resumed.values.otherUrl, url);
  assert.equal(resumed.values.otherToken, password);
});

test('a secret that was given by a variable is needed again, whatever the broker accepts without it', () => {
  const environment = {PB_RABBITMQ_PASSWORD: password, PB_NATS_TOKEN: password};
  const began = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, environment});
  const stored = publicSettings(began);
  const resume = (/** @type {Record<string, string>} */ variables) =>
    resumeSettings(
      resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, environment: variables}),
      stored,
    );
  assert.throws(() => resume({}), {code: 'PB_USAGE', message: /PB_RABBITMQ_PASSWORD/});
  assert.throws(() => resume({PB_RABBITMQ_PASSWORD: password}), {code: 'PB_USAGE', message: /PB_NATS_TOKEN/});
  const {values} = resume(environment);
  assert.deepEqual([values.rabbitmqPassword, values.natsToken], [password, password]);
});

test('no option whose type has a mask is declared as one without a secret', () => {
  for (const {name, secret, type} of allOptions) if (type.mask) assert.ok(secret, name);
});
