'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');

const { Router, parseCookies, parseQuery } = require('../lib');

const plain = (object) => ({ ...object });

test('broken escapes in queries', () => {
  assert.deepEqual(plain(parseQuery('q=100%')), { q: '100%' });
  assert.deepEqual(plain(parseQuery('q=100%+cotton')), { q: '100% cotton' });
  assert.deepEqual(plain(parseQuery('q=50%25+of+%zz')), { q: '50% of %zz' });
  assert.deepEqual(plain(parseQuery('%=1&a%=2')), { '%': '1', 'a%': '2' });
  assert.deepEqual(plain(parseQuery('q=caf%C3%A9+%')), { q: 'café %' });
});

test('whole escapes in queries', () => {
  assert.deepEqual(plain(parseQuery('q=a%2Bb+c&q=%26')), { q: ['a+b c', '&'] });
});

test('cookies', () => {
  assert.deepEqual(plain(parseCookies('a=100%; b=%C3%A9')), { a: '100%', b: 'é' });
  assert.deepEqual(plain(parseCookies('a=%41%; b="%"')), { a: 'A%', b: '%' });
  assert.deepEqual(plain(parseCookies('a=x+y')), { a: 'x+y' });
});

test('requests', async () => {
  const router = new Router();
  router.get('/search', (ctx) => [ctx.query.q, ctx.cookies.p]);
  const answer = await router.handle({ url: '/search?q=100%', headers: { cookie: 'p=5%' } });
  assert.deepEqual(answer, ['100%', '5%']);
});
