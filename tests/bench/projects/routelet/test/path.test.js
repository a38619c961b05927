'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { isUnder, normalise, splitUrl } = require('../lib/path');

test('URLs are split', () => {
  assert.deepEqual(splitUrl('/a?b=c?d#e'), ['/a', 'b=c?d']);
  assert.deepEqual(splitUrl('/a'), ['/a', '']);
});

test('paths are normalised', () => {
  assert.equal(normalise('/a//b/./c'), '/a/b/c');
  assert.equal(normalise('/a/b/../c/'), '/a/c/');
  assert.equal(normalise('a/..'), '/');
  assert.equal(normalise('/a/b/..'), '/a/');
});

test('nothing gets above the root', () => {
  assert.equal(normalise('/../../etc/passwd'), '/etc/passwd');
  assert.equal(normalise('/a/../../b'), '/b');
});

test('dots in names are only dots', () => {
  assert.equal(normalise('/v1..v2/a..b/...'), '/v1..v2/a..b/...');
});

test('folders', () => {
  assert.ok(isUnder('/admin/users', '/admin'));
  assert.ok(isUnder('/admin', '/admin/'));
  assert.ok(!isUnder('/administer', '/admin'));
  assert.ok(isUnder('/anything', '/'));
});
