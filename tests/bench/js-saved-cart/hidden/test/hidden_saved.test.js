import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Cart } from '../lib/index.js';

const TEA = { sku: 'TEA-1', name: 'Green tea', price: 590, weight: 250 };
const POT = { sku: 'POT-1', name: 'Pot', price: 2495, weight: 900 };

function saved() {
  const cart = new Cart();
  cart.add(TEA, 2).apply({ code: 'TEN', percent: 10 });
  return JSON.parse(JSON.stringify(cart));
}

test('quantities', () => {
  const record = saved();
  Cart.fromJSON(record).add(TEA, 8);
  Cart.fromJSON(record).setQuantity('TEA-1', 10);
  assert.deepEqual(record, saved());
});

test('lines', () => {
  const record = saved();
  Cart.fromJSON(record).add(POT);
  Cart.fromJSON(record).setQuantity('TEA-1', 0);
  assert.deepEqual(record, saved());
});

test('coupons', () => {
  const record = saved();
  Cart.fromJSON(record).apply({ code: 'FIVE', cents: 500 });
  assert.deepEqual(record, saved());
});

test('two carts of one record', () => {
  const record = saved();
  const [one, other] = [Cart.fromJSON(record), Cart.fromJSON(record)];
  one.add(TEA, 3);
  assert.equal(one.line('TEA-1').quantity, 5);
  assert.equal(other.line('TEA-1').quantity, 2);
});

test('the same cart', () => {
  const cart = Cart.fromJSON(saved());
  assert.deepEqual(JSON.parse(JSON.stringify(cart)), saved());
  assert.equal(cart.total(), 1180 - 118 + 390);
});
