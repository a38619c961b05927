'use strict';

var test = require('node:test');
var assert = require('node:assert');
var quote = require('../').quote;
var parse = require('../').parse;

test('quote', function () {
	assert.strictEqual(quote(['a', 'b c d', '$f', '"g"']), 'a \'b c d\' \\$f \'"g"\'');
	assert.strictEqual(quote(['it\'s']), '"it\'s"');
	assert.strictEqual(quote(['']), "''");
	assert.strictEqual(quote(['a;b']), 'a\\;b');
});

test('quote operators', function () {
	assert.strictEqual(quote(['a', { op: '|' }, 'b']), 'a \\| b');
	assert.strictEqual(quote(['a', { op: 'glob', pattern: '*.js' }]), 'a *.js');
	assert.throws(function () { quote([{ op: '??' }]); }, TypeError);
});

test('what was quoted parses to itself', function () {
	[['a b', 'c'], ['$x', '`y`', '"', "'"], ['\\', 'a\\b', 'a"\'b']].forEach(function (words) {
		assert.deepStrictEqual(parse(quote(words)), words);
	});
});
