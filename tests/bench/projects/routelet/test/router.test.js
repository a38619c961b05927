'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { HttpError, Router } = require('../lib');
const { build, compile } = require('../lib/pattern');

test('patterns', () => {
  assert.deepEqual(compile('/albums/:id')('/albums/7'), { id: '7' });
  assert.deepEqual(compile('/:year-:month')('/2024-03'), { year: '2024', month: '03' });
  assert.deepEqual(compile('/files/*path')('/files/a/b%20c'), { path: 'a/b c' });
  assert.equal(compile('/albums/:id')('/albums/7/songs'), null);
  assert.throws(() => compile('/:a/:a'), /twice/);
});

test('plain text in patterns', () => {
  assert.deepEqual(compile('/:name.json')('/tea.json'), { name: 'tea' });
  assert.equal(compile('/:name.json')('/teaxjson'), null);
  assert.deepEqual(compile('/a+b(c)')('/a+b(c)'), {});
});

test('building paths', () => {
  assert.equal(build('/albums/:id', { id: 'a/b' }), '/albums/a%2Fb');
  assert.equal(build('/files/*path', { path: 'a/b c' }), '/files/a/b%20c');
  assert.throws(() => build('/albums/:id', {}), /needs id/);
});

test('requests reach their routes', async () => {
  const router = new Router();
  router.get('/albums/:id', (ctx) => [ctx.params.id, ctx.query.page], 'album');
  router.post('/albums', () => 'made');
  assert.deepEqual(await router.handle({ method: 'GET', url: '/albums/7?page=2' }), ['7', '2']);
  assert.equal(await router.handle({ method: 'post', url: '//albums' }), 'made');
  assert.equal(router.url('album', { id: 7 }), '/albums/7');
});

test('requests that reach none', async () => {
  const router = new Router();
  router.get('/albums', () => 'all');
  await assert.rejects(router.handle({ url: '/songs' }), (e) => e instanceof HttpError && e.status === 404);
  await assert.rejects(router.handle({ method: 'PUT', url: '/albums' }), (e) => e.status === 405);
  assert.equal(await router.handle({ method: 'HEAD', url: '/albums' }), 'all');
});

test('middleware runs in order, for its folder', async () => {
  const seen = [];
  const router = new Router();
  router.use(async (ctx, next) => {
    seen.push('all');
    return next();
  });
  router.use('/admin', async () => {
    seen.push('admin');
    return 'stopped';
  });
  router.get('/:page', (ctx) => ctx.params.page);
  assert.equal(await router.handle({ url: '/administer' }), 'administer');
  assert.equal(await router.handle({ url: '/x/../admin' }), 'stopped');
  assert.deepEqual(seen, ['all', 'all', 'admin']);
});
