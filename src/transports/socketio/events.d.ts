import type {Socket as Served} from 'socket.io';
import type {Socket as Connected} from 'socket.io-client';

/** Events from the client. */
export interface FromClient {
  /** Sends a request. The acknowledgement has the reply. */
  ask: (payload: Buffer, reply: (payload: Buffer) => void) => void;
  /** Sends a request for a reply of several parts. Events `part` with this number have the parts, and the acknowledgement has the last part. */
  askForParts: (number: number, payload: Buffer, reply: (last: Buffer) => void) => void;
  /** Sends a message without a reply. */
  send: (payload: Buffer) => void;
  /** The acknowledgement has the number of messages that were handled. */
  count: (reply: (handled: number) => void) => void;
}

/** Events from the server. */
export interface FromServer {
  part: (number: number, payload: Buffer) => void;
}

export type ServerSocket = Served<FromClient, FromServer>;
export type ClientSocket = Connected<FromServer, FromClient>;
