import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/**
 * A `rabbitmq-server` that listens for TLS too, on loopback.
 * @param {string} folder with the certificates
 * @param {number} port
 * @param {{more?: string[], home?: string | null}} [how] more: lines of its configuration; home: the folder of a RabbitMQ with an Erlang of its own;
 *   default the installed one
 * @returns {Promise<string>} the folder that it stands in
 */
export async function makeServerWithTls(folder, port, {more = [], home = null} = {}) {
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const configuration = [
    `listeners.ssl.1 = 127.0.0.1:${port}`,
    `ssl_options.cacertfile = ${join(folder, 'ca.pem')}`,
    `ssl_options.certfile = ${join(folder, 'server.pem')}`,
    `ssl_options.keyfile = ${join(folder, 'server.key')}`,
    // Who gives a certificate must have one of the authority.
    'ssl_options.verify = verify_peer',
    'ssl_options.fail_if_no_peer_cert = false',
    ...more,
  ];
  await writeFile(join(folder, 'tls.conf'), `${configuration.join('\n')}\n`);
  if (home !== null) await symlink(join(home, 'erlang'), join(folder, 'erlang'));
  const server = join(home === null ? '/usr/lib/rabbitmq/bin' : join(home, 'sbin'), 'rabbitmq-server');
  const script = `#!/bin/sh
RABBITMQ_CONFIG_FILES='${folder}/*.conf'
export RABBITMQ_CONFIG_FILES
exec ${server}
`;
  await writeFile(join(programs, 'rabbitmq-server'), script, {mode: 0o755});
  return programs;
}
