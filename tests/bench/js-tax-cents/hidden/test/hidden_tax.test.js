import assert from 'node:assert/strict';
import { test } from 'node:test';

import { taxTable } from '../lib/tax.js';
import { Cart, receipt } from '../lib/index.js';

test('one rate', () => {
  assert.deepEqual(taxTable([['standard', 2495], ['standard', 590]]), [
    { name: 'standard', rate: 19, gross: 3085, tax: 493, net: 2592 },
  ]);
  const [row] = taxTable(Array.from({ length: 20 }, () => ['standard', 99]));
  assert.deepEqual([row.gross, row.tax, row.net], [1980, 316, 1664]);
});

test('several rates, the highest first', () => {
  const parts = [['none', 10], ['reduced', 50], ['standard', 50], ['reduced', 57], ['none', 5]];
  assert.deepEqual(taxTable(parts), [
    { name: 'standard', rate: 19, gross: 50, tax: 8, net: 42 },
    { name: 'reduced', rate: 7, gross: 107, tax: 7, net: 100 },
    { name: 'none', rate: 0, gross: 15, tax: 0, net: 15 },
  ]);
});

test('returns', () => {
  const [row] = taxTable([['standard', -2495], ['standard', -590]]);
  assert.deepEqual([row.tax, row.net], [-493, -2592]);
  assert.deepEqual(taxTable([]), []);
});

test('many small articles', () => {
  const cart = new Cart();
  for (let n = 0; n < 20; n += 1) cart.add({ sku: `S${n}`, name: `Small ${n}`, price: 99, weight: 1 });
  cart.apply({ code: 'ONE', cents: 100 });
  // 18.80 of goods and 3.90 of shipping
  assert.equal(cart.taxes()[0].gross, 2270);
  assert.equal(cart.taxes()[0].tax, 362);
  assert.ok(receipt(cart).includes('  contains 19 % tax                 3.62\n'));
});
