import type {Socket as Served} from 'socket.io';
import type {Socket as Connected} from 'socket.io-client';

/** What a client emits. */
export interface FromClient {
  /** A request; the acknowledgement has the reply. */
  ask: (payload: Buffer, reply: (payload: Buffer) => void) => void;
  /** The same with a reply of several parts, which come as events `part` with that number; the acknowledgement has the last. */
  askForParts: (number: number, payload: Buffer, reply: (last: Buffer) => void) => void;
  /** A message without a reply. */
  send: (payload: Buffer) => void;
  /** The acknowledgement has the number of messages that were handled. */
  count: (reply: (handled: number) => void) => void;
}

/** What a server emits. */
export interface FromServer {
  part: (number: number, payload: Buffer) => void;
}

export type ServerSocket = Served<FromClient, FromServer>;
export type ClientSocket = Connected<FromServer, FromClient>;
