/** @import {Settings} from '../options/resolve.js' */

/**
 * One side of a battle of two.
 *
 * @typedef {object} Side
 * @property {SideName} name
 * @property {Record<string, unknown>} values settings in place of those of the battle, by key
 * @property {Settings['origins']} origins of these values
 * @property {Program} program
 *
 * @typedef {'a' | 'a again' | 'b'} SideName `a again` is equal to `a`: it shows how far apart two equal sides are
 *
 * @typedef {object} Program what runs the roles, if it is not what runs the battle
 * @property {string} [node] the path of the program of Node.js
 * @property {string} [folder] of a checkout or an installation of perf-battle
 * @property {string} [ref] what git knows as a commit of perf-battle, in place of a folder
 * @property {string} [programsIn] the path of the folder in which programs of other authors start
 * @property {string} [programsRef] what git knows as a commit of the repository of the current folder, in place of that folder
 * @property {Record<string, string>} [packages] the versions that npm is to provide, by name: node, ws
 * @property {'client' | 'server'} [only] the role that it runs; without it, both
 * @property {string[]} given all of that as a person wrote it: ws@8.18
 */

export {};
