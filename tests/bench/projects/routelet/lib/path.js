'use strict';

/** Path and query string of a request's URL. */
function splitUrl(url) {
  const hash = url.indexOf('#');
  const plain = hash < 0 ? url : url.slice(0, hash);
  const mark = plain.indexOf('?');
  return mark < 0 ? [plain, ''] : [plain.slice(0, mark), plain.slice(mark + 1)];
}

/**
 * A path without empty segments, `.` and `..`. It always begins with a slash; a slash at its end
 * is kept. Nothing gets above the root.
 */
function normalise(path) {
  const segments = [];
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part === '..') segments.pop();
    else segments.push(part);
  }
  const last = parts[parts.length - 1];
  const slash = segments.length > 0 && ['', '.', '..'].includes(last);
  return `/${segments.join('/')}${slash ? '/' : ''}`;
}

/** Whether a path lies in a folder: "/admin/users" in "/admin", but not "/administer". */
function isUnder(path, folder) {
  const base = folder.replace(/\/+$/, '');
  return path === base || path.startsWith(`${base}/`);
}

module.exports = { splitUrl, normalise, isUnder };
