import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Cart, CartError, receipt } from '../lib/index.js';

const TEA = { sku: 'TEA-1', name: 'Green tea', price: 590, weight: 250, tax: 'reduced' };
const POT = { sku: 'POT-1', name: 'Pot', price: 2495, weight: 900 };

describe('a cart', () => {
  let cart;
  beforeEach(() => {
    cart = new Cart();
    cart.add(TEA, 2).add(POT);
  });

  test('adds up', () => {
    assert.equal(cart.goods(), 3675);
    assert.equal(cart.weight(), 1400);
    assert.equal(cart.shipping(), 590);
    assert.equal(cart.total(), 4265);
    assert.equal(cart.pieces(), 3);
  });

  test('has one line for an article', () => {
    cart.add(TEA, 3);
    assert.equal(cart.lines.length, 2);
    assert.equal(cart.line('TEA-1').quantity, 5);
  });

  test('changes quantities', () => {
    cart.setQuantity('TEA-1', 0);
    assert.equal(cart.goods(), 2495);
    assert.throws(() => cart.setQuantity('TEA-1', 1), CartError);
    assert.throws(() => cart.setQuantity('POT-1', 1.5), CartError);
  });

  test('refuses nonsense', () => {
    assert.throws(() => cart.add(TEA, 0), CartError);
    assert.throws(() => cart.add({ sku: 'X', price: 1.5 }), CartError);
    assert.throws(() => cart.add({ sku: 'X', price: 1, tax: 'luxury' }), CartError);
  });

  test('has discounts by quantity', () => {
    cart.setQuantity('TEA-1', 4);
    assert.equal(cart.lineAmount(cart.line('TEA-1')), 2360);
    cart.setQuantity('TEA-1', 5);
    assert.equal(cart.lineAmount(cart.line('TEA-1')), 2802);
    cart.setQuantity('TEA-1', 10);
    assert.equal(cart.lineAmount(cart.line('TEA-1')), 5310);
  });

  test('takes one coupon of each kind', () => {
    cart.apply({ code: 'TEN', percent: 10 }).apply({ code: 'FIVE', cents: 500 });
    assert.equal(cart.discount(), 368 + 500);
    assert.throws(() => cart.apply({ code: 'TWENTY', percent: 20 }), CartError);
  });

  test('has taxes', () => {
    assert.deepEqual(cart.taxes(), [
      { name: 'standard', rate: 19, gross: 3085, tax: 493, net: 2592 },
      { name: 'reduced', rate: 7, gross: 1180, tax: 77, net: 1103 },
    ]);
  });

  test('comes back from JSON', () => {
    cart.apply({ code: 'TEN', percent: 10 });
    const again = Cart.fromJSON(JSON.parse(JSON.stringify(cart)));
    assert.equal(again.total(), cart.total());
    again.add(TEA, 3);
    assert.equal(cart.line('TEA-1').quantity, 2);
  });

  test('has a receipt', () => {
    cart.apply({ code: 'FIVE', cents: 500 });
    assert.equal(
      receipt(cart),
      [
        '2 x Green tea                      11.80',
        '1 x Pot                            24.95',
        '----------------------------------------',
        'Coupons (FIVE)                     -5.00',
        'Shipping                            5.90',
        'Total                              37.65',
        '  contains 19 % tax                 4.38',
        '  contains 7 % tax                  0.67',
        '',
      ].join('\n'),
    );
  });
});
