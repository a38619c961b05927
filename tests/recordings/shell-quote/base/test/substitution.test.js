'use strict';

var test = require('node:test');
var assert = require('node:assert');
var parse = require('../').parse;

test('an empty substitution is an error', function () {
	assert.throws(function () { parse('a ${}', {}); }, /^Error: Bad substitution/);
});

test('whitespace in a substitution is an error', function () {
	assert.throws(function () { parse('a ${X Y}', { X: 'b' }); }, /^Error: Bad substitution: X$/);
});
