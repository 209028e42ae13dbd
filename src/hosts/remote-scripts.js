import {posix} from 'node:path';

/** Shell scripts for hosts that ssh reaches, and how to read their output. */

/** The folder, in the home folder of another host, that holds a folder for each bundle. */
export const cacheFolder = '.cache/perf-battle';

/**
 * Prints the addresses of the connection, the home folder, whether the bundle is there, and every Node.js found. The
 * PATH of a non-interactive shell often has no Node.js, so the script also looks in the common folders.
 * @param {string} bundleName
 */
export function probeScript(bundleName) {
  return `
echo "connection $SSH_CONNECTION"
echo "home $HOME"
[ -d "$HOME/${cacheFolder}/${bundleName}" ] && echo shipped
for node in "$(command -v node)" /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.nvm/versions/node/*/bin/node; do
  [ -x "$node" ] && echo "node $("$node" --version) $node"
done
exit 0
`;
}

/**
 * @param {string} output of probeScript
 * @returns {{nodes: {version: string, path: string}[], callerAddress: string, address: string, home: string, isShipped: boolean}}
 */
export function readProbe(output) {
  const lines = output.split('\n');
  const after = (/** @type {string} */ word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const [callerAddress = '', , address = ''] = (after('connection')[0] ?? '').split(' ');
  const nodes = after('node').map((text) => {
    const [version, ...path] = text.split(' ');
    return {version, path: path.join(' ')};
  });
  return {nodes, callerAddress, address, home: after('home')[0] ?? '', isShipped: lines.includes('shipped')};
}

/**
 * Unpacks an archive from standard input into a folder. The folder appears complete or not at all. When two of these
 * scripts run at once, the folder of the first one stays.
 * @param {string} folder
 * @param {string} node the path of Node.js
 */
export function unpackScript(folder, node) {
  const cache = posix.dirname(folder);
  const rename = `try { fs.renameSync(...process.argv.slice(1)) } catch (error) { if (!fs.existsSync(process.argv[2])) throw error }`;
  return `
umask 077
mkdir -p "${cache}" || exit 1
new="${cache}/.new-$$"
trap "rm -rf \\"$new\\"" EXIT
trap "exit 1" HUP INT TERM PIPE
find "${cache}" -maxdepth 1 -name ".new-*" -mmin +60 -exec rm -rf {} + 2>/dev/null
mkdir "$new" && tar -xzf - -C "$new" && "${node}" -e "${rename}" "$new" "${folder}"
`;
}

/** One word of a command line for any shell. @param {string} word */
export function quoteForShell(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
