import {createRequire} from 'node:module';

/**
 * Loads a CommonJS package, or a part of one. By `import`, a process that starts with ws takes some 45 ms of CPU more, with Express some 25,
 * and with AWS's SDK some 70: Node.js 20 looks for the exports of a CommonJS file before it runs it.
 */
export const loadPackage = createRequire(import.meta.url);
