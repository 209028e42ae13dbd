import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {Workplace} from '../support/workplace.js';

/** @import {ChildProcess} from 'node:child_process' */

const short = ['--rounds', '1', '--samples', '20', '--warmup', '5', '--payload', '1kb', '--quiet'];

describe('client certificates and TLS', {timeout: 600_000}, () => {
  /** @type {Workplace} */
  let own;
  /** @type {Awaited<ReturnType<typeof makeCertificates>>} */
  let made;
  before(async () => {
    own = await Workplace.make();
    made = await makeCertificates(own.path);
  });
  after(() => own.clear());

  /** @param {string} prefix @param {{certFile: string, keyFile: string}} files */
  const identity = (prefix, {certFile, keyFile}) => [
    `--${prefix}-cert-file`,
    certFile,
    `--${prefix}-key-file`,
    keyFile,
  ];

  it(
    'are used by every client of HTTP, HTTP/2, gRPC, SSE, WebSocket and Socket.IO, and the journal has no key',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http,http2,grpc,sse,websocket,socketio',
        '--http-server',
        'node',
        '--tls',
        'on',
      ];
      const {code, stderr} = await workplace.battle([
        ...short,
        ...flags,
        ...['--http-client', 'undici,node,fetch', '--tls-client-ca-file', made.caFile],
        ...identity('tls-client', made.client),
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport !== 'tcp');
      assert.deepEqual(
        cells.map(({outcome, variant}) => [outcome, variant.tlsProtocol]),
        cells.map(() => ['completed', 'TLSv1.3']),
      );
      assert.equal(cells.length, 8);
      assert.doesNotMatch(await readFile(workplace.file('results.ndjson'), 'utf8'), /BEGIN|PRIVATE/);
    }),
  );

  it(
    'are refused with the names of their files when they cannot work',
    inAWorkplace(async (workplace) => {
      const {caFile, client, expired, foreign, encrypted, server} = made;
      const requires = ['--tls-client-ca-file', caFile];
      const missing = join(own.path, 'missing.key');
      for (const [what, named] of /** @type {[string[], string[]][]} */ ([
        [['--tls-client-cert-file', client.certFile], ['--tls-client-cert-file and --tls-client-key-file']],
        [identity('tls-client', {...client, keyFile: server.keyFile}), [client.certFile, server.keyFile]],
        [identity('tls-client', {...client, keyFile: missing}), [missing, 'does not exist']],
        [identity('tls-client', {...client, keyFile: encrypted}), [encrypted, 'is encrypted']],
        [identity('tls-client', expired), [expired.certFile, 'expired on Feb']],
        [identity('tls', expired), [expired.certFile, 'expired on Feb']],
        [requires, ['--tls-client-ca-file', 'Also give --tls-client-cert-file']],
        [
          [...requires, ...identity('tls-client', foreign)],
          [foreign.certFile, caFile],
        ],
      ])) {
        const {code, stderr} = await workplace.battle([
          ...short,
          '--transport',
          'http',
          '--tls',
          'on',
          ...what,
        ]);
        assert.equal(code, 2, stderr);
        for (const text of named) assert.ok(stderr.includes(text), `${stderr} without ${text}`);
      }
      for (const [kind, url] of [
        ['rabbitmq', 'amqps://localhost:1'],
        ['nats', 'tls://localhost:1'],
      ]) {
        const flags = ['--transport', kind, '--broker', url];
        const pair = identity(kind, {...client, keyFile: server.keyFile});
        const {code, stderr} = await workplace.battle([...short, ...flags, ...pair]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /does not belong to the certificate/);
      }
      const byUrl = `amqps://localhost:1?certfile=${client.certFile}&keyfile=${encrypted}`;
      const {code, stderr} = await workplace.battle([...short, '--transport', 'rabbitmq', '--broker', byUrl]);
      assert.equal(code, 2, stderr);
      assert.ok(stderr.includes(`${encrypted} is encrypted`), stderr);
    }),
  );

  for (const transport of ['http', 'http2', 'grpc', 'sse', 'websocket', 'socketio'])
    it(
      `are required by a server of ${transport} by hand, which says so to a client without one`,
      inAWorkplace(async (workplace) => {
        const port = String(await freePort());
        const settings = {PB_TLS: 'on', PB_SERVER_PORT: port, PB_SAMPLES: '20', PB_WARMUP: '5'};
        const server = workplace.start(
          `${transport}-server`,
          ['--tls-client-ca-file', made.caFile],
          settings,
        );
        await server.says(/server ready/);
        const run = (/** @type {string[]} */ flags) => workplace.run(`${transport}-client`, flags, settings);
        const [none, foreign, good] = await Promise.all([
          run([]),
          run(identity('tls-client', made.foreign)),
          run(identity('tls-client', made.client)),
        ]);
        assert.equal(none.code, 1);
        assert.match(
          none.stderr,
          /refused the client's certificate: it requires one, and the client gave none/,
        );
        assert.equal(foreign.code, 1);
        assert.match(foreign.stderr, /ended the connection after the TLS handshake: it may refuse/);
        assert.equal(good.code, 0, good.stderr);
      }),
    );

  describe('with a NATS server', () => {
    /** @type {ChildProcess} */
    let nats;
    /** @type {string} */
    let address;
    before(async () => {
      const port = await freePort();
      address = `localhost:${port}`;
      const {server, caFile} = made;
      const tls = `cert_file: "${server.certFile}", key_file: "${server.keyFile}", ca_file: "${caFile}", verify: true, timeout: 60`;
      const configuration = join(own.path, 'nats.conf');
      await writeFile(
        configuration,
        `listen: "127.0.0.1:${port}"\ntls { ${tls} }\nauthorization { token: "T0ken", timeout: 60 }\n`,
      );
      nats = spawnWithParent('nats-server', ['--config', configuration], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      while (!said.includes('Server is ready'))
        said += String((await once(/** @type {any} */ (nats.stderr), 'data'))[0]);
    });
    after(() => nats.kill('SIGKILL'));

    it(
      'measure over TLS, with the first of several servers that answers',
      inAWorkplace(async (workplace) => {
        const files = ['--nats-ca-file', made.caFile, ...identity('nats', made.client)];
        const url = `tls://T0ken@localhost:1,${address}`;
        const flags = ['--transport', 'nats', '--broker', url];
        const {code, stderr} = await workplace.battle([...short, ...flags, ...files]);
        assert.equal(code, 0, stderr);
        const cell = (await workplace.cells()).find(({transport}) => transport === 'nats');
        assert.match(String(cell?.variant.tlsProtocol), /^TLSv1\.[23]$/);
        const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
        assert.doesNotMatch(journal, /T0ken|BEGIN|PRIVATE/);
      }),
    );

    it(
      'fail with a clear reason where the server or the client cannot be trusted',
      inAWorkplace(async (workplace) => {
        const trusted = ['--nats-ca-file', made.caFile];
        for (const [host, files, message] of /** @type {[string, string[], RegExp][]} */ ([
          [address, [], /has a certificate that cannot be verified/],
          // The certificate names localhost alone.
          [address.replace('localhost', '127.0.0.1'), trusted, /cannot be verified .*127\.0\.0\.1/],
          [address, trusted, /refused the client's certificate/],
          [address, [...trusted, ...identity('nats', made.foreign)], /refused the client's certificate/],
        ])) {
          const flags = ['--transport', 'nats', '--broker', `tls://T0ken@${host}`, ...files];
          const {code, stderr} = await workplace.battle([...short, ...flags]);
          assert.equal(code, 3, stderr);
          assert.match(stderr, message);
          assert.doesNotMatch(stderr, /T0ken/);
        }
      }),
    );
  });
});
