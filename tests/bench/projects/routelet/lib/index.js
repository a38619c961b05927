'use strict';

const { Router, HttpError } = require('./router');
const { parseQuery, formatQuery } = require('./query');
const { parseCookies, formatCookie } = require('./cookies');
const { normalise } = require('./path');

module.exports = { Router, HttpError, parseQuery, formatQuery, parseCookies, formatCookie, normalise };
