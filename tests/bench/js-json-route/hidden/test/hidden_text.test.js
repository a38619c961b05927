'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');

const { Router } = require('../lib');
const { compile } = require('../lib/pattern');

test('dots', () => {
  const match = compile('/:name.json');
  assert.deepEqual(match('/tea.json'), { name: 'tea' });
  assert.deepEqual(match('/a.b.json'), { name: 'a.b' });
  assert.equal(match('/teaxjson'), null);
  assert.equal(compile('/v1.0/:id')('/v1x0/7'), null);
});

test('every other sign', () => {
  for (const sign of '.+?^${}()|[]\\'.split('')) {
    const pattern = `/a${sign}b/:id${sign}c`;
    assert.deepEqual(compile(pattern)(`/a${sign}b/7${sign}c`), { id: '7' }, pattern);
    assert.equal(compile(pattern)('/ab/7c'), null, pattern);
  }
  assert.deepEqual(compile('/c++')('/c++'), {});
  assert.deepEqual(compile('/price(eur)')('/price(eur)'), {});
  assert.equal(compile('/price(eur)')('/priceeur'), null);
});

test('parameters still work', () => {
  assert.deepEqual(compile('/:year-:month')('/2024-03'), { year: '2024', month: '03' });
  assert.deepEqual(compile('/files/*path')('/files/a/b%20c'), { path: 'a/b c' });
  assert.equal(compile('/albums/:id')('/albums/7/songs'), null);
  assert.deepEqual(compile('/f/*path.txt')('/f/a/b.txt'), { path: 'a/b' });
});

test('routes in their order', async () => {
  const router = new Router();
  router.get('/:name.json', (ctx) => ['json', ctx.params.name]);
  router.get('/:page', (ctx) => ['page', ctx.params.page]);
  assert.deepEqual(await router.handle({ url: '/notes.json' }), ['json', 'notes']);
  assert.deepEqual(await router.handle({ url: '/notesxjson' }), ['page', 'notesxjson']);
});
