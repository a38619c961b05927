'use strict';

var test = require('node:test');
var assert = require('node:assert');
var parse = require('../').parse;

test('words and quotes', function () {
	assert.deepStrictEqual(parse('a \'b\' "c"'), ['a', 'b', 'c']);
	assert.deepStrictEqual(
		parse('beep "boop" \'foo bar baz\' "it\'s \\"so\\" groovy"'),
		['beep', 'boop', 'foo bar baz', 'it\'s "so" groovy']
	);
	assert.deepStrictEqual(parse('a b\\ c d'), ['a', 'b c', 'd']);
	assert.deepStrictEqual(parse('a "b c" \\$def \'it\'\\\'\'s great\''), ['a', 'b c', '$def', "it's great"]);
	assert.deepStrictEqual(parse(''), []);
	assert.deepStrictEqual(parse('   '), []);
});

test('ANSI-C quoting', function () {
	assert.deepStrictEqual(parse("echo $'it\\'s a \\n test'"), ['echo', "it's a \n test"]);
	assert.deepStrictEqual(parse("$'\\x41\\u00e9\\101'"), ['A\u00e9A']);
});

test('operators', function () {
	assert.deepStrictEqual(parse('beep || boop > /byte'), ['beep', { op: '||' }, 'boop', { op: '>' }, '/byte']);
	assert.deepStrictEqual(parse('a|b;c&'), ['a', { op: '|' }, 'b', { op: ';' }, 'c', { op: '&' }]);
	assert.deepStrictEqual(parse('a 2>&1'), ['a', '2', { op: '>&' }, '1']);
});

test('globs and comments', function () {
	assert.deepStrictEqual(parse('ls *.js'), ['ls', { op: 'glob', pattern: '*.js' }]);
	assert.deepStrictEqual(parse('beep > boop # > kaboom'), ['beep', { op: '>' }, 'boop', { comment: ' > kaboom' }]);
});

test('custom escape character', function () {
	assert.deepStrictEqual(parse('a ^$b', {}, { escape: '^' }), ['a', '$b']);
});
