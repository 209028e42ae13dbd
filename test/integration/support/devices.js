import {readdir, readFile} from 'node:fs/promises';

/**
 * The loop devices whose images are in a folder. A mount that another process sees alone keeps its device, so that it shows here, too.
 * @param {string} folder
 * @returns {Promise<string[]>} paths of the images
 */
export async function devicesIn(folder) {
  const loops = (await readdir('/sys/block')).filter((name) => name.startsWith('loop'));
  const images = await Promise.all(
    loops.map((name) => readFile(`/sys/block/${name}/loop/backing_file`, 'utf8').catch(() => '')),
  );
  return images.map((image) => image.trim()).filter((image) => image.startsWith(folder));
}
