import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotCarried, price } from '../src/price.js';

test('steps of weight', () => {
  assert.equal(price({ country: 'DE', grams: 800 }), 399);
  assert.equal(price({ country: 'DE', grams: 2000 }), 549);
  assert.equal(price({ country: 'de', grams: 2001 }), 769);
  assert.throws(() => price({ country: 'DE', grams: 31501 }), NotCarried);
});

test('zones', () => {
  assert.equal(price({ country: 'FR', grams: 1000 }), 1449);
  assert.throws(() => price({ country: 'US', grams: 1000 }), NotCarried);
});

test('surcharges', () => {
  assert.equal(price({ country: 'DE', grams: 1000, size: [100, 50, 50] }), 399);
  assert.equal(price({ country: 'DE', grams: 1000, size: [50, 101, 50] }), 2999);
  assert.equal(price({ country: 'FR', grams: 1000, value: 10001 }), 1450);
});
