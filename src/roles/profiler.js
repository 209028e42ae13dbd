/** @import {Session} from 'node:inspector/promises' */

/** Records where this process spends its CPU time, by V8's sampling profiler: a sample each millisecond. */
export class Profiler {
  /** null: it does not record. @type {Session | null} */
  #session = null;

  /** @returns {Promise<null>} */
  async begin() {
    const {Session} = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    this.#session = session;
    return null;
  }

  /** @returns {Promise<object | null>} the profile, as .cpuprofile files contain it; null: none was begun */
  async end() {
    const session = this.#session;
    if (session === null) return null;
    this.#session = null;
    const {profile} = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  }
}
