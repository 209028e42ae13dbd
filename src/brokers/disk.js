import {execFile} from 'node:child_process';
import {constants} from 'node:fs';
import {access, mkdir, open, readFile, rm, statfs} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';

const execute = promisify(execFile);

const blockBytes = 4096;
/** A device that is not at rest then is not copied. */
const maxCopies = 20;
/** How long the last files of an ended process may stay open. */
const unmountWithinMs = 5000;
const retryEveryMs = 50;

/** The programs that a disk needs, in the folders where packages put them. */
const programs = ['mkfs.ext4', 'mount', 'umount', 'unshare', 'cp', 'sync', 'fallocate'];
const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];
const control = '/dev/loop-control';
/** The file that takes the free space. */
const filler = 'filler';

/**
 * Why a private broker cannot have a disk of its own here.
 * @returns {Promise<string | null>} as it follows "needs"; null: it can
 */
export async function whyNoDisk() {
  if (process.getuid?.() !== 0) return 'root, loop devices and mkfs.ext4';
  const missing = [];
  for (const program of programs) if (!(await isThere(program))) missing.push(program);
  const hasLoops = await canWrite(control);
  if (!hasLoops) missing.push('loop devices');
  return missing.length === 0 ? null : missing.join(', ');
}

/** @param {string} program */
async function isThere(program) {
  const found = await Promise.all(folders.map((folder) => can(join(folder, program), constants.X_OK)));
  return found.some(Boolean);
}

/** @param {string} path */
function canWrite(path) {
  return can(path, constants.W_OK);
}

/** @param {string} path @param {number} mode */
function can(path, mode) {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/**
 * What the block device has done so far (https://docs.kernel.org/block/stat.html).
 * @typedef {{writes: number, inFlight: number, flushes: number}} DeviceCounts
 *
 * @typedef {object} Copy what a power cut at this moment would leave on the disk
 * @property {string} image
 * @property {number} ms how long the copy took
 * @property {number} copies how many were made until the device was at rest during one
 */

/**
 * The data of a private broker on an ext4 file system of their own, in an image file on a loop device. A copy of the image has what the kernel has
 * handed to the device, as after a power cut, and not what is only in the page cache of the file system. A real device may lose more: what is in a
 * write cache of its own.
 *
 * The process that mounts it needs a mount namespace of its own: then the kernel unmounts it and frees the device when that process and its children
 * end, however they end.
 */
export class Disk {
  /** @param {string} folder @param {string} place where it is mounted @param {string} image */
  constructor(folder, place, image) {
    this.folder = folder;
    this.place = place;
    this.image = image;
    /** @type {Copy[]} */
    this.copies = [];
  }

  /**
   * @param {string} folder that holds the image and the place
   * @param {number} bytes
   * @returns {Promise<Disk>} mounted
   * @throws {RunError} PB_NO_DISK
   */
  static async make(folder, bytes) {
    const image = join(folder, 'disk.img');
    const disk = new Disk(folder, join(folder, 'disk'), image);
    await mkdir(disk.place, {mode: 0o700});
    const file = await open(image, 'wx', 0o600);
    await file.truncate(bytes);
    await file.close();
    // Otherwise the kernel writes these tables later, and the device does not come to rest.
    const atOnce = 'lazy_itable_init=0,lazy_journal_init=0';
    await run('mkfs.ext4', ['-q', '-F', '-b', String(blockBytes), '-E', atOnce, image]);
    await disk.#mount(image);
    return disk;
  }

  /** Writes what the page cache has to the device. */
  async sync() {
    await run('sync', ['-f', this.place]);
  }

  /** Takes the free space but for some bytes. @param {number} leftBytes */
  async fill(leftBytes) {
    const {bavail, bsize} = await statfs(this.place);
    const bytes = bavail * bsize - leftBytes;
    if (bytes > 0) await run('fallocate', ['-l', String(bytes), join(this.place, filler)]);
  }

  /** Frees what `fill` took. */
  async empty() {
    await rm(join(this.place, filler), {force: true});
  }

  /** @returns {Promise<DeviceCounts>} */
  async counts() {
    const fields = (await readFile(`/sys/block/${this.device}/stat`, 'utf8')).trim().split(/\s+/).map(Number);
    return {writes: fields[4], inFlight: fields[8], flushes: fields[15] ?? 0};
  }

  /**
   * Copies the image while the processes that write to the disk are stopped. What the kernel still writes by itself is waited for.
   * @returns {Promise<number>} the number of the copy, for `use`
   * @throws {RunError} PB_NO_DISK when the device does not come to rest
   */
  async copy() {
    const image = join(this.folder, `copy-${this.copies.length}.img`);
    for (let copies = 1; copies <= maxCopies; copies += 1) {
      const before = await this.counts();
      const startedAt = performance.now();
      await run('cp', ['--sparse=always', this.image, image]);
      const ms = performance.now() - startedAt;
      const after = await this.counts();
      if (before.writes === after.writes && before.inFlight === 0 && after.inFlight === 0)
        return this.copies.push({image, ms, copies}) - 1;
    }
    throw failed('the device does not come to rest, so that it cannot be copied');
  }

  /** Mounts a copy in place of what is mounted; the journal of its file system is replayed. @param {number} number of the copy */
  async use(number) {
    const {image} = this.copies[number];
    await this.close();
    if (this.image !== image) await rm(this.image, {force: true});
    this.image = image;
    await this.#mount(image);
  }

  /** Unmounts it, which frees the device. */
  async close() {
    const deadline = performance.now() + unmountWithinMs;
    for (;;) {
      try {
        return await run('umount', [this.place]);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(retryEveryMs);
      }
    }
  }

  /** @param {string} image */
  async #mount(image) {
    await run('mount', ['-t', 'ext4', '-o', 'loop', image, this.place]);
    this.device = deviceAt(this.place, await readFile('/proc/self/mountinfo', 'utf8'));
  }
}

/**
 * @param {string} place
 * @param {string} mounts of /proc/self/mountinfo
 * @returns {string} the name of the device that is mounted there, such as loop0
 */
export function deviceAt(place, mounts) {
  const lines = mounts.split('\n').map((line) => line.split(' '));
  const found = lines.findLast((fields) => fields[4] === place);
  const source = found?.[found.indexOf('-') + 2] ?? '';
  if (!source.startsWith('/dev/')) throw failed(`nothing is mounted on ${place}`);
  return source.slice('/dev/'.length);
}

/** @param {string} program @param {readonly string[]} words */
async function run(program, words) {
  try {
    await execute(program, words, {env: {PATH: folders.join(':'), LC_ALL: 'C'}});
  } catch (error) {
    const {stderr = '', message} = /** @type {{stderr?: string, message: string}} */ (error);
    throw failed(`${program} failed: ${stderr.trim() || message}`);
  }
}

/** @param {string} why */
function failed(why) {
  return new RunError(`The disk of a private broker cannot be used: ${why}.`, {code: 'PB_NO_DISK'});
}
