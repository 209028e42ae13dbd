import assert from 'node:assert/strict';

/**
 * Asserts that a text is one element of XML: tags that match, quoted attributes, no bare & or <, no forbidden characters.
 * @param {string} text
 */
export function assertWellFormed(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u);
  /** @type {string[]} */
  const open = [];
  const token = /<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const [whole, closes, name, , isEmpty, content] of text.trim().matchAll(token)) {
    end += whole.length;
    assert.doesNotMatch(whole, /&(?!(?:amp|lt|gt|quot|#39);)/);
    if (content !== undefined) assert.ok(open.length > 0, 'text outside of the element');
    else if (closes) assert.equal(open.pop(), name);
    else if (!isEmpty) open.push(name);
  }
  assert.equal(end, text.trim().length, text.slice(end, end + 80));
  assert.deepEqual(open, []);
}
