import assert from 'node:assert/strict';
import { test } from 'node:test';

import { missingForFree, shippingFor } from '../lib/shipping.js';
import { Cart } from '../lib/index.js';

test('the limit', () => {
  assert.equal(shippingFor('DE', 1000, 4999), 390);
  assert.equal(shippingFor('DE', 1000, 5000), 0);
  assert.equal(shippingFor('DE', 1000, 5001), 0);
  assert.equal(shippingFor('AT', 3000, 5000), 0);
  assert.equal(shippingFor('AT', 3000, 4999), 1690);
});

test('what is missing', () => {
  assert.equal(missingForFree(4200), 800);
  assert.equal(missingForFree(4999), 1);
  assert.equal(missingForFree(5000), 0);
  assert.equal(missingForFree(5001), 0);
});

test('carts', () => {
  const cart = new Cart();
  cart.add({ sku: 'A', name: 'A', price: 2500, weight: 100 }, 2);
  assert.equal(cart.total(), 5000);
  cart.apply({ code: 'CENT', cents: 1 });
  assert.equal(cart.total(), 4999 + 390);
});
