import assert from 'node:assert/strict';
import {test} from 'node:test';
import {configurationFrom} from '../../../src/brokers/artemis/driver.js';

/** As `artemis create` of Artemis 2.40.0 writes it, in short. */
const made = `<configuration xmlns="urn:activemq">
   <core xmlns="urn:activemq:core">
      <journal-type>NIO</journal-type>
      <journal-datasync>true</journal-datasync>
      <journal-buffer-timeout>816000</journal-buffer-timeout>
      <max-disk-usage>90</max-disk-usage>
      <acceptors>
         <!-- Acceptor for every supported protocol -->
         <acceptor name="artemis">tcp://0.0.0.0:61616?protocols=CORE,AMQP,STOMP;useEpoll=true</acceptor>
         <acceptor name="amqp">tcp://0.0.0.0:5672?protocols=AMQP;useEpoll=true;amqpCredits=1000</acceptor>
      </acceptors>
      <address-settings>
         <address-setting match="activemq.management#">
            <redelivery-delay>0</redelivery-delay>
         </address-setting>
         <address-setting match="#">
            <address-full-policy>PAGE</address-full-policy>
         </address-setting>
      </address-settings>
   </core>
</configuration>
`;

test("a private broker listens at its address alone, and takes AMQP alone, with the parameters of Apache's acceptor", () => {
  const text = configurationFrom(made, {address: '127.0.0.1', port: 1234});
  assert.deepEqual(text.match(/tcp:\/\/[^<]*/g), [
    'tcp://127.0.0.1:1234?protocols=AMQP;useEpoll=true;amqpCredits=1000',
  ]);
});

test('an address of IPv6 has brackets', () => {
  assert.match(configurationFrom(made, {address: '::1', port: 1}), />tcp:\/\/\[::1\]:1\?/);
});

test('free bytes bound the disk, no message is dropped after some deliveries, and all else stays', () => {
  const text = configurationFrom(made, {address: '127.0.0.1', port: 1234});
  assert.match(text, /<min-disk-free>50M<\/min-disk-free>/);
  assert.match(text, /match="#"><max-delivery-attempts>-1<\/max-delivery-attempts>/);
  assert.equal(text.match(/max-delivery-attempts/g)?.length, 2);
  const others = (/** @type {string} */ xml) =>
    xml
      .replace(/<acceptors>.*<\/acceptors>/s, '')
      .replace(/<(max-disk-usage|min-disk-free)>.*/, '')
      .replace('<max-delivery-attempts>-1</max-delivery-attempts>', '');
  assert.equal(others(text), others(made));
});

test('a configuration without an acceptor of AMQP is refused', () => {
  const without = made.replace('name="amqp"', 'name="other"');
  assert.throws(() => configurationFrom(without, {address: '127.0.0.1', port: 1}), {
    code: 'PB_BROKER_UNAVAILABLE',
    message: /no acceptor of AMQP/,
  });
});
