import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDigit, isValid, pretty, progress } from '../src/tracking.js';

test('check digits', () => {
  assert.equal(checkDigit('47312482'), 9);
  assert.equal(checkDigit('00000002'), 8);
  assert.equal(checkDigit('00000000'), 5);
  assert.equal(checkDigit('00000008'), 0);
});

test('valid numbers', () => {
  assert.ok(isValid('RR 4731 2482 9 GB'));
  assert.ok(!isValid('RR473124828GB'));
  assert.ok(!isValid('RR47312482'));
});

test('printed numbers', () => {
  assert.equal(pretty('rr473124829gb'), 'RR 4731 2482 9 GB');
});

test('the bar', () => {
  assert.equal(progress('announced'), 0);
  assert.equal(progress('on the way'), 50);
  assert.equal(progress('delivered'), 100);
  assert.throws(() => progress('lost'), RangeError);
});
