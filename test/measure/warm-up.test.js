import assert from 'node:assert/strict';
import {test} from 'node:test';
import {automaticWarmUp, phasesOf, turnMsOf} from '../../src/measure/warm-up.js';

const [KB, MB] = [1024, 1_024_000];
const unbounded = Number.POSITIVE_INFINITY;

test('an automatic warm-up is a number of small requests once per pair, bounded in time, then a time at the size', () => {
  const {requests, maximumMs, sizeMs, largeSizeMs} = automaticWarmUp;
  const ofPair = {isOfPair: true, samples: requests, durationMs: maximumMs};
  const small = {isOfPair: false, samples: unbounded, durationMs: sizeMs};
  const large = {isOfPair: false, samples: unbounded, durationMs: largeSizeMs};
  assert.deepEqual(phasesOf(automaticWarmUp, {payloadBytes: KB, isNewPair: true}), [ofPair, small]);
  assert.deepEqual(phasesOf(automaticWarmUp, {payloadBytes: KB, isNewPair: false}), [small]);
  assert.deepEqual(phasesOf(automaticWarmUp, {payloadBytes: 102_399, isNewPair: false}), [small]);
  assert.deepEqual(phasesOf(automaticWarmUp, {payloadBytes: 102_400, isNewPair: false}), [large]);
  assert.deepEqual(phasesOf(automaticWarmUp, {payloadBytes: MB, isNewPair: true}), [ofPair, large]);
});

test('the automatic warm-up of a journal without the numbers of the plan has the default ones', () => {
  const [ofPair, ofSize] = phasesOf({kind: 'auto', maximumMs: 1000}, {payloadBytes: KB, isNewPair: true});
  assert.deepEqual([ofPair.samples, ofPair.durationMs], [automaticWarmUp.requests, 1000]);
  assert.equal(ofSize.durationMs, automaticWarmUp.sizeMs);
});

test('in turn, an automatic warm-up goes on, for longer where many messages fill the memory of a pair', () => {
  const {turnMs, mediumTurnMs} = automaticWarmUp;
  assert.deepEqual(
    [KB, 102_399, 102_400, 511_999, 512_000, MB].map((bytes) => turnMsOf(automaticWarmUp, bytes)),
    [turnMs, turnMs, mediumTurnMs, mediumTurnMs, turnMs, turnMs],
  );
  assert.ok(mediumTurnMs > turnMs);
  assert.equal(turnMsOf({kind: 'auto', maximumMs: 1000, turnMs: 50}, KB), 50);
  assert.equal(turnMsOf({kind: 'duration', durationMs: 3000}, KB), 0);
});

test('a warm-up by duration or by count has one phase, for new and for used pairs', () => {
  for (const isNewPair of [true, false]) {
    const cell = {payloadBytes: MB, isNewPair};
    assert.deepEqual(phasesOf({kind: 'duration', durationMs: 3000}, cell), [
      {isOfPair: false, samples: unbounded, durationMs: 3000},
    ]);
    assert.deepEqual(phasesOf({kind: 'count', count: 7}, cell), [
      {isOfPair: false, samples: 7, durationMs: unbounded},
    ]);
    assert.deepEqual(phasesOf({kind: 'count', count: 0}, cell), []);
  }
});
