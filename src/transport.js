/** The exports of `perf-battle/transport`, for transports that are not part of perf-battle (docs/your-own-transport.md). */
export {defineBroker} from './brokers/define.js';
export {RunError, UnavailableError, UsageError} from './errors.js';
export {joinAddress, splitAddress} from './net/address.js';
export {bounded} from './net/bounded.js';
export {listen} from './net/listen.js';
export {certificateFile, clientCredentials, keyFile, ownCertificateFile} from './net/tls-files.js';
export {option} from './options/option.js';
export {bytes, duration, integer, oneOf, onOff, text} from './options/types.js';
export {importLibrary} from './packages/import-library.js';
export {drained, flushed} from './transports/backpressure.js';
export {defineTransport} from './transports/define.js';
export {PendingReplies, promised} from './transports/pending-replies.js';
export {SerializedRequests} from './transports/serialized-requests.js';
export {FrameReader, readFrames, writeFrame} from './transports/tcp/frames.js';
export {WindowedPublisher} from './transports/windowed-publisher.js';
