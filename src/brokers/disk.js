import {execFile} from 'node:child_process';
import {mkdir, open, readFile, rm, stat, statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';
import {apart} from '../hosts/host.js';
import {safeText} from '../safe-text.js';

/** @import {Host} from '../hosts/types.js' */

const execute = promisify(execFile);

const blockBytes = 4096;
/** The unit of `stat().blocks`. */
const statBlockBytes = 512;
/** A broker has few files, and small inode tables are written quickly. */
const inodes = 16_384;
const temporary = {TMPDIR: tmpdir()};
/** The device must come to rest within this number of copies. */
const maxCopies = 20;
/** How long files of an ended process may stay open. */
const unmountWithinMs = 5000;
const retryEveryMs = 50;

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];
/** A device that hangs must not hang a supervisor, nor a command. */
const commandMs = 120_000;
const filler = 'filler';

const usable = 'usable';
/** Makes and mounts a small disk, because the programs may exist without the right to mount. Prints nothing if the user is not root. */
const attempt = `export LC_ALL=C PATH=${folders.join(':')}
[ "$(id -u)" = 0 ] || exit 0
${apart.join(' ')} timeout -k 5 ${commandMs / 1000} sh -ec '
folder=$(mktemp -d)
trap "rm -rf \\"$folder\\"" EXIT
truncate -s 16M "$folder/image"
mkfs.ext4 -q -F "$folder/image"
mkdir "$folder/place"
mount -t ext4 -o loop "$folder/image" "$folder/place"
umount "$folder/place"' 2>&1 && echo ${usable}`;

/**
 * Why a host cannot give a private broker a disk of its own.
 * @param {Pick<Host, 'name' | 'isRemote' | 'runShell'>} host
 * @returns {Promise<string | null>} a phrase that follows "needs"; null: the host can
 */
export async function whyNoDisk(host) {
  const needed = `root, loop devices and mkfs.ext4${host.isRemote ? ` on ${host.name}` : ''}`;
  const said = (await host.runShell(attempt)).trim().split('\n');
  if (said.at(-1) === usable) return null;
  return said[0] === '' ? needed : `${needed}; a try failed: ${safeText(said[0])}`;
}

/**
 * The counters of the block device (https://docs.kernel.org/block/stat.html).
 * @typedef {{writes: number, inFlight: number, flushes: number | null}} DeviceCounts flushes: null if the kernel does not count them (before 5.5)
 *
 * @typedef {object} Copy the content that a power cut at this moment would leave on the disk
 * @property {string} image the path of the copy
 * @property {number} ms the duration of the last copy
 * @property {number} copies how many copies were made, until the device was at rest during the last copy
 */

/**
 * An ext4 file system for the data of a private broker, in an image file on a loop device. A copy of the image has the
 * data that a power cut would leave: all data in the device, and no data that is only in the page cache. A real device may
 * also lose the content of its write cache.
 *
 * The process that mounts the disk must have its own mount namespace. The kernel then unmounts the disk and frees the
 * device when this process and its children end for any reason.
 */
export class Disk {
  /** @param {string} folder @param {string} place the mount point @param {string} image the path of the image file */
  constructor(folder, place, image) {
    this.folder = folder;
    this.place = place;
    this.image = image;
    /** @type {Copy[]} */
    this.copies = [];
  }

  /**
   * @param {string} folder the folder of the image and the mount point
   * @param {number} bytes
   * @returns {Promise<Disk>} the mounted disk
   * @throws {RunError} PB_NO_DISK
   */
  static async make(folder, bytes) {
    const image = join(folder, 'disk.img');
    const disk = new Disk(folder, join(folder, 'disk'), image);
    await mkdir(disk.place, {mode: 0o700});
    const file = await open(image, 'wx', 0o600);
    await file.truncate(bytes);
    await file.close();
    // By default the kernel writes these tables later, and the device does not come to rest.
    const atOnce = 'lazy_itable_init=0,lazy_journal_init=0';
    // Without blocks for root, as whom the broker may run: `fill` would leave them.
    const layout = ['-b', String(blockBytes), '-N', String(inodes), '-m', '0'];
    await run('mkfs.ext4', ['-q', '-F', ...layout, '-E', atOnce, image]);
    await disk.#mount(image);
    return disk;
  }

  /** Writes the page cache to the device. */
  async sync() {
    await run('sync', ['-f', this.place]);
  }

  /** Takes the free space, except for some bytes. @param {number} leftBytes */
  async fill(leftBytes) {
    const {bavail, bsize} = await statfs(this.place);
    const bytes = bavail * bsize - leftBytes;
    if (bytes > 0) await run('fallocate', ['-l', String(bytes), join(this.place, filler)]);
  }

  /** Frees the space that `fill` took. */
  async empty() {
    await rm(join(this.place, filler), {force: true});
  }

  /** @returns {Promise<DeviceCounts>} */
  async counts() {
    const text = await readFile(`/sys/dev/block/${this.device}/stat`, 'utf8');
    const fields = text.trim().split(/\s+/).map(Number);
    return {writes: fields[4], inFlight: fields[8], flushes: fields[15] ?? null};
  }

  /**
   * Copies the image. The caller has stopped the processes that write to the disk; the copy waits for writes of the kernel.
   * @returns {Promise<number>} the number of the copy, the argument of `use`
   * @throws {RunError} PB_NO_DISK when the device does not come to rest
   */
  async copy() {
    const image = join(this.folder, `copy-${this.copies.length}.img`);
    const {bavail, bsize} = await statfs(this.folder);
    const {blocks} = await stat(this.image);
    if (bavail * bsize < blocks * statBlockBytes)
      throw failed(`there is no room for a copy in ${this.folder}`);
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

  /** Mounts a copy instead. The kernel replays the journal of its file system. @param {number} number the result of `copy` */
  async use(number) {
    await this.close();
    await this.#mount(this.copies[number].image);
  }

  /** Mounts the disk itself again, and removes the copies. */
  async restore() {
    await this.close();
    await Promise.all(this.copies.splice(0).map(({image}) => rm(image, {force: true})));
    await this.#mount(this.image);
  }

  /** Unmounts the disk, which frees the device. */
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
    this.device = deviceOf((await stat(this.place)).dev);
  }
}

/**
 * The numbers of a device in Linux's format, major:minor (https://man7.org/linux/man-pages/man3/makedev.3.html).
 * @param {number} dev the `dev` of a file on the device
 */
export function deviceOf(dev) {
  const major = Math.floor(dev / 256) % 4096;
  const minor = (dev % 256) + 256 * Math.floor(dev / 2 ** 20);
  return `${major}:${minor}`;
}

/** @param {string} program @param {readonly string[]} words */
async function run(program, words) {
  try {
    await execute(program, words, {
      env: {...temporary, PATH: folders.join(':'), LC_ALL: 'C'},
      timeout: commandMs,
    });
  } catch (error) {
    const {stderr = '', message} = /** @type {{stderr?: string, message: string}} */ (error);
    throw failed(`${program} failed: ${stderr.trim() || message}`);
  }
}

/** @param {string} why */
function failed(why) {
  return new RunError(`The disk of a private broker cannot be used: ${why}.`, {code: 'PB_NO_DISK'});
}
