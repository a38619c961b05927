'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');

const { HttpError, Router, normalise } = require('../lib');

const CASES = {
  '/../../../../etc/passwd': '/etc/passwd',
  '/..': '/',
  '..': '/',
  '/a/../..': '/',
  '/a/../../b': '/b',
  '/img/..hidden': '/img/..hidden',
  '/img/...': '/img/...',
  '/a/b../c': '/a/b../c',
  '/a/..b/../c': '/a/c',
  '/a/./../b': '/b',
  '/a/b/..': '/a/',
  '/a//../b': '/b',
  '/a/b/../../../c/': '/c/',
  '/./': '/',
  '': '/',
  '/a//b/./c': '/a/b/c',
  '/static/..%2f': '/static/..%2f',
};

for (const [path, wanted] of Object.entries(CASES)) {
  test(`"${path}"`, () => assert.equal(normalise(path), wanted));
}

test('scanners get a 404', async () => {
  const router = new Router();
  router.get('/', () => 'home');
  for (const url of ['/../../../../etc/passwd', '/img/..hidden', '/static/..%2f']) {
    await assert.rejects(router.handle({ url }), (e) => e instanceof HttpError && e.status === 404);
  }
  assert.equal(await router.handle({ url: '/../..' }), 'home');
});
