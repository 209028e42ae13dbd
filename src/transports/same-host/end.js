/**
 * One end of a pair whose messages pass through the memory of one host. A server has one end for all of its clients.
 *
 * @typedef {object} End
 * @property {(peer: number) => Offer} offer what that peer needs in order to send to this end
 * @property {(offer: Offer, numbers: {peer: number, own: number}) => Outbox} connect peer: its number here; own: the number of this end there; throws
 *   a RunError when what is offered is nothing of the kind
 * @property {(waitMs: number, take: Take) => boolean} receive takes what has arrived from one peer, or waits for it without giving way to the event
 *   loop; false: nothing came
 * @property {(peer: number, isPaused: boolean) => void} pause receives nothing more from that peer, or again
 * @property {(peer: number) => void} forget
 * @property {() => void} close
 * @property {Record<string, unknown>} details settings that only the running process knows, by key
 *
 * @typedef {(peer: number, bytes: Buffer) => void} Take bytes: overwritten after the call
 *
 * @typedef {Record<string, number>} Offer numbers: a process, and files that it has open
 *
 * @typedef {object} Outbox
 * @property {number} maxBytes that it takes at once
 * @property {(header: number | null, payload: Buffer, from: number, to: number, waitMs: number) => boolean} send hands over a part of a payload,
 *   after a header of four bytes unless that is null; false: there was no room, and nothing was handed over
 * @property {() => void} close
 */

export {};
