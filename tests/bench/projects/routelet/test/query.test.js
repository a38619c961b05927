'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { formatQuery, parseCookies, parseQuery } = require('../lib');
const { formatCookie } = require('../lib/cookies');

const plain = (object) => ({ ...object });

test('query strings are parsed', () => {
  assert.deepEqual(plain(parseQuery('?a=1&b=two+words&c')), { a: '1', b: 'two words', c: '' });
  assert.deepEqual(plain(parseQuery('a=1&a=2&a=3')), { a: ['1', '2', '3'] });
  assert.deepEqual(plain(parseQuery('q=a%3Db%26c&x=1=2')), { q: 'a=b&c', x: '1=2' });
  assert.deepEqual(plain(parseQuery('')), {});
});

test('broken escapes are left as they are', () => {
  assert.deepEqual(plain(parseQuery('discount=100%&q=caf%C3%A9')), { discount: '100%', q: 'café' });
  assert.deepEqual(plain(parseQuery('q=50%25+of+%zz')), { q: '50% of %zz' });
});

test('query strings are written', () => {
  assert.equal(formatQuery({ a: 'x y', b: [1, 2], c: undefined }), 'a=x+y&b=1&b=2');
});

test('cookies', () => {
  assert.deepEqual(plain(parseCookies('a=1; b="two"; a=3; junk')), { a: '1', b: 'two' });
  assert.equal(formatCookie('a', 'x;y', { maxAge: 60.5 }), 'a=x%3By; Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
  assert.throws(() => formatCookie('a b', ''), TypeError);
});
