const test = require('node:test');
const x = require('a-package-that-nobody-has');

test('one', () => x());
