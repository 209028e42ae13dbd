/** One end of a connection through the memory of one host. A server has one end for all clients. */
export interface End {
  /** Returns what a peer needs in order to send to this end. */
  offer: (peer: number) => Offer;
  /** Connects to a peer. peer: the peer's number at this end; own: this end's number at the peer. Throws a RunError if the offer is not valid. */
  connect: (offer: Offer, numbers: {peer: number; own: number}) => Outbox;
  /** Takes bytes that arrived from one peer. Waits for bytes without yielding to the event loop. Returns false if none arrived. */
  receive: (waitMs: number, take: Take) => boolean;
  /** Stops or resumes receiving from a peer. */
  pause: (peer: number, isPaused: boolean) => void;
  forget: (peer: number) => void;
  close: () => void;
  /** Settings that only the running process knows, by key. */
  details: Record<string, unknown>;
}

/** bytes: overwritten after the call. */
export type Take = (peer: number, bytes: Buffer) => void;

/** The numbers of a process and of its open files. */
export type Offer = Record<string, number>;

export interface Outbox {
  /** Maximum number of bytes for one call of `send`. */
  maxBytes: number;
  /**
   * Hands over a part of a payload, after a header of four bytes unless the header is null. Returns false if there was no room, and nothing
   * was handed over.
   */
  send: (header: number | null, payload: Buffer, from: number, to: number, waitMs: number) => boolean;
  close: () => void;
}
