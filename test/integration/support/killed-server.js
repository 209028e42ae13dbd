import {freePort} from './ports.js';

/** @import {Workplace} from './workplace.js' */

/**
 * Runs a pair by hand whose server is killed while its client measures.
 * @param {Workplace} workplace
 * @param {string} transport
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<{code: number | null, error: {code: string, message: string}}>} error: the last event
 */
export async function killedServer(workplace, transport, environment = {}) {
  const settings = {
    ...{PB_SERVER_PORT: String(await freePort()), PB_SERVER_HOST: '127.0.0.1', PB_DURATION: '30s'},
    ...{PB_WARMUP: '0', ...environment},
  };
  const server = workplace.start(`${transport}-server`, [], settings);
  await server.says(/server ready/);
  const client = workplace.start(`${transport}-client`, [], {...settings, PB_OUTPUT: 'ndjson'});
  await client.says(/"ready"/);
  process.kill(server.scriptPid(), 'SIGKILL');
  await server.ended;
  const {code, stdout} = await client.ended;
  return {code, error: JSON.parse(stdout.trim().split('\n').at(-1) ?? '')};
}
