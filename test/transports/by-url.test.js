import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {listOf} from '../../src/options/types.js';
import byUrl from '../../src/transports/by-url/index.js';
import {mistakeInHeaders, parseHeaders} from '../../src/transports/by-url/request.js';

const url = byUrl.options[0];
const [, method] = byUrl.options;
const list = listOf(/** @type {any} */ (url.type));

describe('--url', () => {
  it('takes several servers, and a URL may have commas', () => {
    assert.deepEqual(list.parse('http=http://a/x?ids=1,2,websocket=ws://b:8080/, HTTP=https://c/'), [
      {kind: 'http', url: 'http://a/x?ids=1,2'},
      {kind: 'websocket', url: 'ws://b:8080/'},
      {kind: 'http', url: 'https://c/'},
    ]);
    assert.equal(
      list.format(/** @type {any} */ (list.parse('http=http://a/x?ids=1,2,websocket=ws://b/'))),
      'http=http://a/x?ids=1,2,websocket=ws://b/',
    );
  });

  for (const [text, why] of [
    ['http=ftp://a/', /begins with http:\/\/ or https:\/\//],
    ['websocket=http://a/', /begins with ws:\/\/ or wss:\/\//],
    ['http=127.0.0.1:80/a', /begins with http:\/\/ or https:\/\//],
    ['http=http://', /The URL has no host, or is malformed\./],
    ['htpp=http://a/', /Did you mean http\?/],
    ['http=http://a/#b', /fragment/],
    ['http://a/', /transport is missing before the URL: write http=http:\/\//],
    ['WSS://a/', /write websocket=WSS:\/\//],
    ['grpc=http://a/', /begins with grpc:\/\/ or grpcs:\/\//],
    ['grpc=grpc://a:1/', /names a method: grpc:\/\/HOST:PORT\/package\.Service\/Method/],
    ['grpc=grpc://a:1/echo.Echo/Say?x=1', /names a method/],
  ])
    it(`refuses ${text}`, () => {
      assert.throws(() => list.parse(String(text)), {name: 'UsageError', message: why});
    });

  it('refuses what is no URL, and one with a password, which is not shown', () => {
    for (const text of ['http=', 'http=http://a b/', 'http=http://me:secret@a/'])
      assert.equal(list.parse(text), undefined, text);
    assert.equal(url.type.maskRefused?.('http=http://me:secret@a/'), 'http=http://***@a/');
  });

  it('takes a method in any case, and a GET has no payload', () => {
    assert.equal(method.type.parse('get'), 'GET');
    assert.equal(method.type.parse('LIST'), undefined);
    const http = {kind: 'http', url: 'http://a/'};
    const websocket = {kind: 'websocket', url: 'ws://a/'};
    assert.equal(byUrl.sendsNoPayload({url: http, urlMethod: 'GET'}), true);
    assert.equal(byUrl.sendsNoPayload({url: [websocket, http], urlMethod: 'GET'}), true);
    assert.equal(byUrl.sendsNoPayload({url: http, urlMethod: 'POST'}), false);
    assert.equal(byUrl.sendsNoPayload({url: websocket, urlMethod: 'GET'}), false);
  });

  it('names a row by where the server is, in as many characters as a table has room for, without a bar', () => {
    const nameOf = (/** @type {string} */ text) =>
      byUrl.labelOf(/** @type {any} */ ({url: /** @type {any} */ (list.parse(text))[0]}));
    assert.equal(nameOf('http=http://a:8080/'), 'HTTP a:8080');
    assert.equal(nameOf('http=http://a/x?y=1|2'), 'HTTP a/x?y=1%7C2');
    assert.match(nameOf(`http=http://a/${'x'.repeat(100)}`), /^HTTP a\/x{57}…$/);
  });

  it('knows the place of a server', () => {
    const placeOf = (/** @type {string} */ text) =>
      byUrl.serverOf(/** @type {any} */ ({url: /** @type {any} */ (list.parse(text))[0]}));
    assert.deepEqual(placeOf('http=https://a/'), {host: 'a', port: 443});
    assert.deepEqual(placeOf('websocket=ws://[::1]:81/'), {host: '::1', port: 81});
    assert.deepEqual(placeOf('grpc=grpcs://a/echo.Echo/Say'), {host: 'a', port: 443});
    assert.deepEqual(placeOf('grpc=grpc://[::1]:81/echo.Echo/Say'), {host: '::1', port: 81});
  });
});

describe('a file of headers', () => {
  it('has one on each line', () => {
    const text = '# of a test\nAuthorization: Bearer a:b\r\n\nX-Id:1\n';
    assert.equal(mistakeInHeaders(text), null);
    assert.deepEqual(parseHeaders(text), {authorization: 'Bearer a:b', 'x-id': '1'});
  });

  for (const text of ['Authorization', 'a b: c', 'X: a\u0000', 'Content-Length: 5', ': x'])
    it(`is refused with ${JSON.stringify(text)}, and its value is not shown`, () => {
      const mistake = mistakeInHeaders(text);
      assert.ok(mistake);
      assert.doesNotMatch(String(mistake), /: 5|c$/);
    });
});
