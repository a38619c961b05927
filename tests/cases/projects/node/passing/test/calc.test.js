const test = require('node:test');
const assert = require('node:assert');
const { add } = require('../calc.js');

test('one', () => assert.strictEqual(add(1, 1), 2));
test('two', () => assert.strictEqual(add(1, 2), 3));
