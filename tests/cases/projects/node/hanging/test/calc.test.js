const test = require('node:test');
const assert = require('node:assert');
const { add } = require('../calc.js');

test('one', () => assert.strictEqual(add(1, 1), 2));
test('two', () => new Promise((done) => setTimeout(done, 10000000)));
