import type {Redis} from 'ioredis';

/** The Redis data type that carries messages. A message has a short header and a payload. */
export interface Medium {
  /** Whether the server keeps messages until they are taken. */
  stores: boolean;
  /** Sends a message, and resolves with an answer for `isTaken`. */
  post: (writer: Redis, key: string, header: string, payload: Buffer) => Promise<unknown>;
  /** Whether the answer says that the message has arrived at the server, or at a subscriber. */
  isTaken: (answer: unknown) => boolean;
  /** Receives messages that several servers share. Resolves when the receiver misses no later message. */
  receiveShared: (from: Source, onMessage: OnMessage) => Promise<void>;
  /** Receives the messages for this role alone. */
  receiveOwn: (from: Source, onMessage: OnMessage) => Promise<void>;
  /** Puts a payload into a queue, without a header. */
  put: (writer: Redis, key: string, payload: Buffer) => Promise<unknown>;
  /** Prepares a queue for `take`. */
  openQueue: (writer: Redis, key: string) => Promise<void>;
  /** Waits for messages of a queue, and takes at least one and at most `count` of them. */
  take: (from: Pick<Source, 'reader' | 'writer' | 'key'>, count: number) => Promise<Buffer[]>;
  /**
   * Waits briefly for messages of a queue, and returns the available ones. again: returns the messages that an earlier consumer did not
   * acknowledge.
   */
  hold: (from: Pick<Source, 'reader' | 'writer' | 'key'>, how: {again: boolean}) => Promise<Held[]>;
}

/** acknowledge: null: the delivery acknowledged the message. */
export type Held = {payload: Buffer; acknowledge: (() => Promise<void>) | null};

export interface Source {
  reader: Redis;
  writer: Redis;
  key: string;
  /** Whether to receive the messages that an earlier receiver did not finish. */
  resumes: boolean;
  /** Reports that no more messages can be received. */
  lose: (what: string, cause?: unknown) => void;
}

/** done: to be called when the message is processed. */
export type OnMessage = (header: string, payload: Buffer, done: () => void) => void;
