import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MoneyError, distribute, formatCents, parseCents, percentOf, roundCents } from '../lib/money.js';

test('rounding', () => {
  assert.equal(roundCents(2.5), 3);
  assert.equal(roundCents(-2.5), -3);
  assert.equal(roundCents(-0.4), 0);
  assert.equal(percentOf(990, 15), 149);
});

test('amounts as text', () => {
  assert.equal(parseCents('1.234,50'), 123450);
  assert.equal(parseCents('1234.5'), 123450);
  assert.equal(parseCents(' -3 '), -300);
  assert.throws(() => parseCents('a lot'), MoneyError);
  assert.equal(formatCents(123450), '1234.50');
  assert.equal(formatCents(-5), '-0.05');
});

test('parts add up', () => {
  assert.deepEqual(distribute(100, [1, 1, 1]), [33, 34, 33]);
  assert.deepEqual(distribute(100, [0, 3]), [0, 100]);
  assert.deepEqual(distribute(100, [0, 0]), [0, 0]);
});
