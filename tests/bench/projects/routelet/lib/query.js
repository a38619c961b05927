'use strict';

const { decode } = require('./decode');

/** The names and values of a query string, with or without its question mark. */
function parseQuery(text) {
  const query = Object.create(null);
  const plain = text.startsWith('?') ? text.slice(1) : text;
  for (const pair of plain.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = word(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : word(pair.slice(equals + 1));
    if (name in query) query[name] = [].concat(query[name], value);
    else query[name] = value;
  }
  return query;
}

function word(text) {
  return decode(text.replace(/\+/g, ' '));
}

/** The query string of names and values, without a question mark. */
function formatQuery(query) {
  const pairs = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of [].concat(value)) {
      pairs.push(`${escape(name)}=${escape(String(each))}`);
    }
  }
  return pairs.join('&');
}

function escape(text) {
  return encodeURIComponent(text).replace(/%20/g, '+');
}

module.exports = { parseQuery, formatQuery };
