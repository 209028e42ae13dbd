import {homedir} from 'node:os';
import {join} from 'node:path';

/** npm's own configuration, with which this host reaches its registry. */
export const registry = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(npm_config_|node_extra_|ssl_|https?_proxy|no_proxy)/i.test(name),
    ),
  ),
  npm_config_userconfig: join(homedir(), '.npmrc'),
  // The npm of later versions of Node.js keeps compiled code in the folder for temporary files.
  NODE_DISABLE_COMPILE_CACHE: '1',
};
