import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CouponError, find, holds, shopDay, takeOff } from '../lib/coupons.js';

const SPRING = { code: 'SPRING', percent: 10, from: '2024-03-01', until: '2024-03-31' };
const FIVE = { code: 'FIVE', cents: 500, minimum: 2000 };

test('the day in the shop', () => {
  assert.equal(shopDay(new Date('2024-02-29T22:59:59Z')), '2024-02-29');
  assert.equal(shopDay(new Date('2024-02-29T23:00:00Z')), '2024-03-01');
});

test('coupons hold on their days', () => {
  assert.ok(holds(SPRING, new Date('2024-03-15T12:00:00Z')));
  assert.ok(holds(SPRING, new Date('2024-03-31T22:30:00Z')));
  assert.ok(!holds(SPRING, new Date('2024-03-31T23:30:00Z')));
  assert.ok(!holds(SPRING, new Date('2024-02-29T12:00:00Z')));
  assert.ok(holds(FIVE, new Date('2030-01-01T00:00:00Z')));
});

test('codes are found as people type them', () => {
  const noon = new Date('2024-03-15T12:00:00Z');
  assert.equal(find(' spring ', [FIVE, SPRING], noon), SPRING);
  assert.throws(() => find('AUTUMN', [SPRING], noon), CouponError);
  assert.throws(() => find('SPRING', [SPRING], new Date('2024-04-15T12:00:00Z')), CouponError);
});

test('what they take off', () => {
  assert.equal(takeOff([SPRING], 1995), 200);
  assert.equal(takeOff([FIVE, SPRING], 3000), 300 + 500);
  assert.equal(takeOff([FIVE], 1999), 0);
  assert.equal(takeOff([{ code: 'BIG', cents: 9999 }], 1999), 1999);
});
