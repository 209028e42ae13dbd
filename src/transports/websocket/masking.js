import http from 'node:http';
import {createRequire} from 'node:module';

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
