import assert from 'node:assert/strict';
import {beforeEach, describe, it} from 'node:test';
import {RedrawnLines} from '../../../src/report/live/redrawn-lines.js';

describe('lines that are drawn again', () => {
  let text = '';
  /** @type {{write: (part: string) => boolean, columns: number, rows: number}} */
  let screen;

  beforeEach(() => {
    text = '';
    const write = (/** @type {string} */ part) => {
      text += part;
      return true;
    };
    screen = {write, columns: 20, rows: 5};
  });

  /** What was written since the last question. */
  function written() {
    const part = text;
    text = '';
    return part;
  }

  it('begin where they began before', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['one', 'two']);
    assert.equal(written(), '\rone\u001b[K\ntwo\u001b[K\n\u001b[J');
    lines.draw(['three']);
    assert.equal(written(), '\r\u001b[2Athree\u001b[K\n\u001b[J');
    lines.clear();
    assert.equal(written(), '\r\u001b[1A\u001b[J');
    lines.clear();
    assert.equal(written(), '');
  });

  it('are no more than there is room for, and none is longer than the screen is wide', () => {
    const lines = new RedrawnLines(screen);
    assert.equal(lines.room, 4);
    lines.draw(['1', '2', '3', '4', '5']);
    assert.equal(written(), '\r1\u001b[K\n2\u001b[K\n3\u001b[K\n4\u001b[K\n\u001b[J');
    lines.clear();
    written();
    lines.draw(['\u001b[33m12345678901234567890\u001b[39m']);
    assert.equal(written(), '\r1234567890123456789\u001b[K\n\u001b[J');
  });

  it('count the columns of wide characters, and none of marks that join others', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['日本語の輸送と層', '1234567890123456e\u0301xyz', '12345678901234567日本']);
    assert.equal(
      written(),
      '\r日本語の輸送と層\u001b[K\n1234567890123456e\u0301xy\u001b[K\n12345678901234567日\u001b[K\n\u001b[J',
    );
    screen.columns = 8;
    lines.draw(['now']);
    assert.equal(written(), '\r\u001b[8Anow\u001b[K\n\u001b[J');
  });

  it('are found again when the screen has become narrower', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['a line of 18 chars', '', 'short']);
    written();
    screen.columns = 8;
    lines.draw(['now']);
    // 3 rows, an empty one, and one.
    assert.equal(written(), '\r\u001b[5Anow\u001b[K\n\u001b[J');
  });

  it('fit into 80 by 24 where the screen does not say its size', () => {
    const lines = new RedrawnLines({...screen, columns: 0, rows: 0});
    assert.equal(lines.room, 23);
    lines.draw(['x'.repeat(100)]);
    assert.equal(written(), `\r${'x'.repeat(79)}\u001b[K\n\u001b[J`);
  });
});
