import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {resolveOptions} from '../../src/options/resolve.js';
import {withSettingsOfUrls} from '../../src/settings/broker-settings.js';
import {allOptions, optionsOfBattle, optionsOfTransport} from '../../src/settings/index.js';
import rabbitmq from '../../src/transports/rabbitmq/index.js';

const url = 'amqps://host?heartbeat=3&cacertfile=/ca.pem&certfile=/a.pem&keyfile=/a.key';

/** @param {Record<string, string[]>} flags @param {Record<string, string>} [environment] */
function ofBattle(flags, environment = {}) {
  return withSettingsOfUrls(
    resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags, environment}),
  );
}

/** @param {Record<string, string[]>} flags @param {Record<string, string>} [environment] */
function ofScript(flags, environment = {}) {
  const mine = optionsOfTransport(rabbitmq);
  return withSettingsOfUrls(resolveOptions(allOptions, {scope: 'script', mine, flags, environment}));
}

describe('the parameters of a URL', () => {
  for (const [title, flags, environment] of /** @type {const} */ ([
    ['--broker', {broker: [url]}, {}],
    ['--rabbitmq-url', {'rabbitmq-url': [url]}, {}],
    ['PB_RABBITMQ_URL', {}, {PB_RABBITMQ_URL: url}],
    [
      'a URL, and the same as options',
      {broker: [url], 'rabbitmq-heartbeat': ['3']},
      {PB_RABBITMQ_CA_FILE: '/ca.pem'},
    ],
  ]))
    it(`of ${title} are the settings of a battle`, () => {
      const {values} = ofBattle(/** @type {any} */ (flags), environment);
      assert.deepEqual(
        [values.heartbeatSeconds, values.rabbitmqCaFile, values.rabbitmqCertFile, values.rabbitmqKeyFile],
        [[3], '/ca.pem', '/a.pem', '/a.key'],
      );
    });

  it('are the settings of a script', () => {
    const {values} = ofScript({'rabbitmq-url': [url]});
    assert.deepEqual([values.heartbeatSeconds, values.rabbitmqKeyFile], [3, '/a.key']);
  });

  it('have no effect beside a private broker, or on other transports', () => {
    assert.deepEqual(ofBattle({broker: ['private'], 'rabbitmq-url': [url]}).values.heartbeatSeconds, [10]);
    const other = ofBattle({'rabbitmq-url': [url], transport: ['http'], 'rabbitmq-heartbeat': ['5']});
    assert.deepEqual(other.values.heartbeatSeconds, [5]);
  });

  for (const [flag, text] of [
    ['rabbitmq-heartbeat', '5'],
    ['rabbitmq-heartbeat', '3,5'],
    ['rabbitmq-ca-file', '/other.pem'],
    ['rabbitmq-cert-file', '/other.pem'],
    ['rabbitmq-key-file', '/other.key'],
  ])
    it(`are not contradicted by --${flag} ${text}`, () => {
      const name = `PB_${flag.toUpperCase().replaceAll('-', '_')}`;
      for (const make of [
        () => ofBattle({broker: [url], [flag]: [text]}),
        () => ofBattle({broker: [url]}, {[name]: text}),
        ...(text.includes(',') ? [] : [() => ofScript({'rabbitmq-url': [url], [flag]: [text]})]),
      ])
        assert.throws(make, {
          code: 'PB_USAGE',
          message: RegExp(
            `^(--${flag}|${name}) .* contradicts the URL in --(broker|rabbitmq-url), which has `,
          ),
        });
    });
});

describe('a flag for a part of an address', () => {
  it('is refused by a script beside a URL, and a variable is not', () => {
    assert.throws(() => ofScript({'rabbitmq-vhost': ['v']}, {PB_RABBITMQ_URL: url}), {
      code: 'PB_USAGE',
      message: /^--rabbitmq-vhost has no effect here: PB_RABBITMQ_URL names the whole address/,
    });
    ofScript({'rabbitmq-url': [url]}, {PB_RABBITMQ_VHOST: 'v'});
  });
});
