import assert from 'node:assert/strict';
import {test} from 'node:test';
import {defineBroker} from '../../src/brokers/define.js';

const least = {
  apiVersion: /** @type {const} */ (1),
  url: import.meta.url,
  name: 'mine',
  label: 'Mine',
  program: 'mine-server',
  port: 7071,
  driver: async () => ({default: /** @type {any} */ ({})}),
};
const unset = {mineUrl: null, mineHost: 'localhost', minePort: 7071, mineUsername: null, minePassword: null};
const local = {
  protocol: 'mine',
  hostname: 'localhost',
  port: 7071,
  username: null,
  password: null,
  path: '',
};

test('a kind gets options for its address and for the names of what a run creates', () => {
  const {options, schemes, nameOptions, addressOptions, urlOption} = defineBroker(least);
  assert.deepEqual(
    options.map(({name}) => name),
    ['mine-url', 'mine-host', 'mine-port', 'mine-username', 'mine-password', 'mine-prefix'],
  );
  assert.deepEqual(
    [schemes, nameOptions.map(({key}) => key), addressOptions.length, urlOption.environmentName],
    [['mine'], ['minePrefix'], 5, 'PB_MINE_URL'],
  );
});

test('settings become a connection: a URL, or its parts', () => {
  const {connectionFrom, local: found} = defineBroker(least);
  assert.deepEqual(found, local);
  assert.deepEqual(connectionFrom(unset), local);
  assert.deepEqual(connectionFrom({...unset, mineHost: '::1', minePort: 9, mineUsername: 'a'}), {
    ...local,
    ...{hostname: '::1', port: 9, username: 'a'},
  });
  assert.deepEqual(connectionFrom({...unset, mineUrl: 'mine://alice:p%40ss@[::1]:80/3'}), {
    ...local,
    ...{hostname: '::1', port: 80, username: 'alice', password: 'p@ss', path: '3'},
  });
});

test('a kind whose clients may use TLS has options for certificate files', () => {
  const {options, connectionFrom, checkFiles} = defineBroker({...least, files: true});
  const files = options.filter(({name}) => name.endsWith('-file'));
  assert.deepEqual(
    files.map(({name, type}) => [name, type.file?.isSent]),
    [
      ['mine-ca-file', true],
      ['mine-cert-file', true],
      ['mine-key-file', true],
    ],
  );
  const connection = connectionFrom({...unset, mineCaFile: 'ca.pem', mineCertFile: null, mineKeyFile: null});
  assert.deepEqual(connection, {...local, caFile: 'ca.pem', certFile: null, keyFile: null});
  const byUrl = connectionFrom({...unset, mineUrl: 'mine://h', mineCaFile: 'ca.pem'});
  assert.deepEqual([byUrl.hostname, byUrl.caFile], ['h', 'ca.pem']);
  assert.throws(
    () => checkFiles?.({...connection, certFile: 'c.pem'}),
    /--mine-cert-file and --mine-key-file must be given together/,
  );
});

test('no message shows a password', () => {
  const {mask, connectionFrom, urlOption} = defineBroker({...least, schemes: ['mine', 'mines']});
  const url = 'mines://alice:secret@other/3';
  assert.equal(mask(connectionFrom({...unset, mineUrl: url})), 'mines://alice:***@other:7071/3');
  assert.doesNotMatch(String(urlOption.type.mask?.(url)), /secret/);
  assert.throws(
    () => urlOption.type.parse('other://alice:secret@host'),
    (/** @type {Error} */ {message}) =>
      /mine:\/\/ or mines:\/\//.test(message) && !message.includes('secret'),
  );
});

for (const [field, value, said] of /** @type {const} */ ([
  ['apiVersion', 2, /apiVersion must be 1/],
  ['url', undefined, /url must be import\.meta\.url.*; it is missing/],
  ['name', 'My own', /name must be /],
  ['program', '/usr/bin/mine', /program must be the file name of a program; it is "\/usr\/bin\/mine"/],
  ['port', 0, /port must be an integer from 1 to 65535; it is 0/],
  ['schemes', [], /schemes must be /],
  ['install', 5, /install must be a text; it is 5/],
  ['options', 'x', /options must be /],
  ['driver', {}, /driver must be a function/],
])) {
  test(`${field} ${JSON.stringify(value)} is refused by name`, () => {
    assert.throws(() => defineBroker(/** @type {any} */ ({...least, [field]: value})), {
      code: 'PB_USAGE',
      message: said,
    });
  });
}
