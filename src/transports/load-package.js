import {createRequire} from 'node:module';

/**
 * Loads a CommonJS package, or a part of it. With `import`, Node.js 20 looks for the exports of each file before it runs it: a start with ws or Express
 * then takes some 40 ms of CPU more.
 */
export const loadPackage = createRequire(import.meta.url);
