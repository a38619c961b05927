import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDigit, isValid } from '../src/tracking.js';

const WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];

test('every remainder', () => {
  const seen = new Set();
  for (let serial = 47312400; serial < 47312500; serial += 1) {
    const digits = String(serial);
    const left = WEIGHTS.reduce((sum, w, n) => sum + w * Number(digits[n]), 0) % 11;
    const wanted = [5, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1][left];
    seen.add(left);
    assert.equal(checkDigit(digits), wanted, digits);
    for (let digit = 0; digit < 10; digit += 1) {
      assert.equal(isValid(`CD${digits}${digit}DE`), digit === wanted);
    }
  }
  assert.equal(seen.size, 11);
});
