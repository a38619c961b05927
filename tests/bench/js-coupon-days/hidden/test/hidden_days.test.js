import assert from 'node:assert/strict';
import { test } from 'node:test';

import { find, holds } from '../lib/coupons.js';

const SPRING = { code: 'SPRING', percent: 10, from: '2024-03-01', until: '2024-03-31' };
const at = (text) => holds(SPRING, new Date(text));

test('the first day', () => {
  assert.equal(at('2024-02-29T22:59:59.999Z'), false);
  assert.equal(at('2024-02-29T23:00:00Z'), true);
  assert.equal(at('2024-03-01T00:30:00Z'), true);
});

test('the last day', () => {
  assert.equal(at('2024-03-31T00:00:01Z'), true);
  assert.equal(at('2024-03-31T12:00:00Z'), true);
  assert.equal(at('2024-03-31T22:59:59.999Z'), true);
  assert.equal(at('2024-03-31T23:00:00Z'), false);
  assert.equal(at('2024-04-01T00:00:00Z'), false);
});

test('one day only', () => {
  const day = { code: 'DAY', cents: 100, from: '2024-05-01', until: '2024-05-01' };
  assert.equal(holds(day, new Date('2024-05-01T10:00:00Z')), true);
  assert.equal(holds(day, new Date('2024-05-01T23:00:00Z')), false);
  assert.equal(holds(day, new Date('2024-04-30T22:59:00Z')), false);
});

test('open sides', () => {
  const noon = new Date('2024-03-15T12:00:00Z');
  assert.equal(holds({ code: 'X', until: '2024-03-15' }, noon), true);
  assert.equal(holds({ code: 'X', from: '2024-03-15' }, noon), true);
  assert.equal(holds({ code: 'X', until: '2024-03-14' }, noon), false);
  assert.equal(holds({ code: 'X', from: '2024-03-16' }, noon), false);
  assert.equal(holds({ code: 'X' }, noon), true);
});

test('codes', () => {
  assert.equal(find('spring', [SPRING], new Date('2024-03-31T20:00:00Z')), SPRING);
});
