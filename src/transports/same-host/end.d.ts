/** One end of a pair whose messages pass through the memory of one host. A server has one end for all of its clients. */
export interface End {
  /** What that peer needs in order to send to this end. */
  offer: (peer: number) => Offer;
  /** Peer: its number here; own: the number of this end there; throws a RunError when what is offered is nothing of the kind. */
  connect: (offer: Offer, numbers: {peer: number; own: number}) => Outbox;
  /** Takes what has arrived from one peer, or waits for it without giving way to the event loop; false: nothing came. */
  receive: (waitMs: number, take: Take) => boolean;
  /** Receives nothing more from that peer, or again. */
  pause: (peer: number, isPaused: boolean) => void;
  forget: (peer: number) => void;
  close: () => void;
  /** Settings that only the running process knows, by key. */
  details: Record<string, unknown>;
}

/** Bytes: overwritten after the call. */
export type Take = (peer: number, bytes: Buffer) => void;

/** Numbers: a process, and files that it has open. */
export type Offer = Record<string, number>;

export interface Outbox {
  /** That it takes at once. */
  maxBytes: number;
  /**
   * Hands over a part of a payload, after a header of four bytes unless that is null; false: there was no room, and nothing was handed
   * over.
   */
  send: (header: number | null, payload: Buffer, from: number, to: number, waitMs: number) => boolean;
  close: () => void;
}
