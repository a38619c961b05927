import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShippingError, missingForFree, shippingFor } from '../lib/shipping.js';

test('by weight', () => {
  assert.equal(shippingFor('DE', 1000, 1000), 390);
  assert.equal(shippingFor('DE', 1001, 1000), 590);
  assert.equal(shippingFor('AT', 500, 1000), 990);
  assert.equal(shippingFor('DE', 0, 1000), 0);
  assert.throws(() => shippingFor('DE', 20001, 1000), ShippingError);
  assert.throws(() => shippingFor('US', 100, 1000), ShippingError);
});

test('free shipping', () => {
  assert.equal(shippingFor('DE', 1000, 4999), 390);
  assert.equal(shippingFor('DE', 1000, 5000), 0);
  assert.equal(missingForFree(4200), 800);
  assert.equal(missingForFree(6000), 0);
});
