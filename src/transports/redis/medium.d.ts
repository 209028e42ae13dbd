import type {Redis} from 'ioredis';

/** What carries messages on the server. A message has a header, which is short, and a payload. */
export interface Medium {
  /** Whether it keeps messages until somebody takes them. */
  stores: boolean;
  /** Resolves with an answer that `isTaken` understands. */
  post: (writer: Redis, key: string, header: string, payload: Buffer) => Promise<unknown>;
  /** Whether the answer says that the message has arrived at the server, or at a subscriber. */
  isTaken: (answer: unknown) => boolean;
  /** Receives the messages of which each is for one of several servers. Resolves when none that is posted later is missed. */
  receiveShared: (from: Source, onMessage: OnMessage) => Promise<void>;
  /** Receives the messages that are for this role alone. */
  receiveOwn: (from: Source, onMessage: OnMessage) => Promise<void>;
  /** Puts a payload into a queue, without a header. */
  put: (writer: Redis, key: string, payload: Buffer) => Promise<unknown>;
  /** Makes a queue from which `take` can take. */
  openQueue: (writer: Redis, key: string) => Promise<void>;
  /** Waits for messages of a queue, and takes some: at least one and at most so many. */
  take: (from: Pick<Source, 'reader' | 'writer' | 'key'>, count: number) => Promise<Buffer[]>;
  /** Waits a moment for messages of a queue, and gets some. again: those that were not acknowledged, by a consumer that has ended. */
  hold: (from: Pick<Source, 'reader' | 'writer' | 'key'>, how: {again: boolean}) => Promise<Held[]>;
}

/** acknowledge: null: the delivery was the acknowledgement. */
export type Held = {payload: Buffer; acknowledge: (() => Promise<void>) | null};

export interface Source {
  reader: Redis;
  writer: Redis;
  key: string;
  /** Whether it takes over what an earlier receiver did not finish. */
  resumes: boolean;
  /** Is called when nothing is received any more. */
  lose: (what: string, cause?: unknown) => void;
}

/** done: to be called when the message is dealt with. */
export type OnMessage = (header: string, payload: Buffer, done: () => void) => void;
