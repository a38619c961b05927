import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney, parseMoney, parseSize, parseWeight } from '../src/form.js';

test('weights', () => {
  assert.equal(parseWeight('1,5 kg'), 1500);
  assert.equal(parseWeight('800 g'), 800);
  assert.equal(parseWeight(' 2 '), 2000);
  assert.equal(parseWeight('heavy'), null);
});

test('sizes', () => {
  assert.deepEqual(parseSize('60x30x20'), [60, 30, 20]);
  assert.deepEqual(parseSize('60,5 / 30 / 20 cm'), [60.5, 30, 20]);
  assert.equal(parseSize('60x30'), null);
});

test('money', () => {
  assert.equal(parseMoney('1.234,50 €'), 123450);
  assert.equal(parseMoney('1234.5'), 123450);
  assert.equal(parseMoney('eighty'), null);
  assert.equal(formatMoney(123450), '1.234,50 €');
  assert.equal(formatMoney(-5), '-0,05 €');
});
