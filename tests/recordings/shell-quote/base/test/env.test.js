'use strict';

var test = require('node:test');
var assert = require('node:assert');
var parse = require('../').parse;

test('expand environment variables', function () {
	assert.deepStrictEqual(parse('a $XYZ c', { XYZ: 'b' }), ['a', 'b', 'c']);
	assert.deepStrictEqual(parse('a${XYZ}c', { XYZ: 'b' }), ['abc']);
	assert.deepStrictEqual(parse('a${XYZ}c $XYZ', { XYZ: 'b' }), ['abc', 'b']);
	assert.deepStrictEqual(parse('"-$X-$Y-"', { X: 'a', Y: 'b' }), ['-a-b-']);
	assert.deepStrictEqual(parse("'-$X-$Y-'", { X: 'a', Y: 'b' }), ['-$X-$Y-']);
	assert.deepStrictEqual(parse('$ABC$'), ['$']);
});

test('unset variables are empty', function () {
	assert.deepStrictEqual(parse('a "$XYZ" c', {}), ['a', '', 'c']);
	assert.deepStrictEqual(parse('${XYZ:-default}', { XYZ: 'b' }), ['']);
});

test('nested substitutions end at their own brace', function () {
	assert.deepStrictEqual(parse('a${B${C}D}e', {}), ['ae']);
});

test('special parameters', function () {
	assert.deepStrictEqual(parse('a $? $#', { '?': '1', '#': '2' }), ['a', '1', '2']);
});

test('environment from a function', function () {
	assert.deepStrictEqual(
		parse('beep $XYZ boop', function (key) { return { op: '@@' + key }; }),
		['beep', { op: '@@XYZ' }, 'boop']
	);
});

test('split unquoted variables', function () {
	assert.deepStrictEqual(parse('a $T', { T: 'c d' }, { splitUnquoted: true }), ['a', 'c', 'd']);
	assert.deepStrictEqual(parse('a "$T"', { T: 'c d' }, { splitUnquoted: true }), ['a', 'c d']);
	assert.deepStrictEqual(parse('$T', { T: 'c:d' }, { splitUnquoted: ':' }), ['c', 'd']);
});
