'use strict';

const { decode } = require('./decode');

/** The cookies of a header. Of two with the same name the first counts. */
function parseCookies(header = '') {
  const cookies = Object.create(null);
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim();
    let value = pair.slice(equals + 1).trim();
    if (value.length > 1 && value.startsWith('"') && value.endsWith('"')) value = value.slice(1, -1);
    if (!(name in cookies)) cookies[name] = decode(value);
  }
  return cookies;
}

/** A header that sets a cookie. */
function formatCookie(name, value, { maxAge, path = '/', httpOnly = true, sameSite = 'Lax' } = {}) {
  if (!/^[\w!#$%&'*.^`|~+-]+$/.test(name)) throw new TypeError(`not a cookie's name: ${name}`);
  const parts = [`${name}=${encodeURIComponent(value)}`, `Path=${path}`];
  if (maxAge !== undefined) parts.push(`Max-Age=${Math.floor(maxAge)}`);
  if (httpOnly) parts.push('HttpOnly');
  parts.push(`SameSite=${sameSite}`);
  return parts.join('; ');
}

module.exports = { parseCookies, formatCookie };
