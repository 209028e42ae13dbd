import {fileURLToPath} from 'node:url';
import {openLink} from './link.js';

/** @type {import('perf-battle/transport').BrokerDriver} */
export default {
  command: ({address, port}) => [fileURLToPath(new URL('hub.js', import.meta.url)), address, String(port)],

  async greet(connection, {signal}) {
    const {socket, answer} = await openLink(connection, 'greet', signal);
    socket.destroy();
    return {product: 'Relay hub', versions: {relay: answer}};
  },
};
