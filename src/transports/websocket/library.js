import http from 'node:http';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {loadPackage, packageAbove} from '../../packages/load.js';

/** The library of npm. Bun puts one of its own in its place, which hides the socket. */
export function loadWs() {
  if (!('Bun' in globalThis)) return loadPackage('ws');
  const folder = packageAbove(dirname(fileURLToPath(import.meta.url)), 'ws');
  return loadPackage(join(String(folder), 'index.js'));
}

/**
 * The implementation that masks the frames of this process. ws prefers Node.js's own function, then the native bufferutil,
 * and otherwise uses a loop in JavaScript.
 * @returns {'node' | 'bufferutil' | 'javascript'}
 */
export function maskingInForce() {
  if ('websocketMask' in http && http.websocketMask) return 'node';
  if (process.env.WS_NO_BUFFER_UTIL) return 'javascript';
  try {
    const nativeMasking = createRequire(createRequire(import.meta.url).resolve('ws'))('bufferutil');
    return nativeMasking.mask === undefined || isFallback() ? 'javascript' : 'bufferutil';
  } catch {
    return 'javascript';
  }
}

/** bufferutil itself falls back to JavaScript when it has no binary for the machine. */
function isFallback() {
  const require = createRequire(import.meta.url);
  const loaded = Object.keys(require.cache).filter((path) => path.includes('bufferutil'));
  return loaded.length > 0 && !loaded.some((path) => path.endsWith('.node'));
}
