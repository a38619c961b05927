'use strict';

const { decode } = require('./decode');

/** A pattern such as "/albums/:id/*rest", made into a function from paths to parameters or null. */
function compile(pattern) {
  const names = [];
  let source = '';
  let place = 0;
  const token = /:([A-Za-z_]\w*)|\*([A-Za-z_]\w*)/g;
  for (const match of pattern.matchAll(token)) {
    source += quote(pattern.slice(place, match.index));
    const name = match[1] ?? match[2];
    if (names.includes(name)) throw new Error(`${name} is twice in ${pattern}`);
    names.push(name);
    source += match[1] ? '([^/]+?)' : '(.*)';
    place = match.index + match[0].length;
  }
  source += quote(pattern.slice(place));
  const regexp = new RegExp(`^${source}$`);
  return (path) => {
    const match = regexp.exec(path);
    if (!match) return null;
    return Object.fromEntries(names.map((name, n) => [name, decode(match[n + 1])]));
  };
}

function quote(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The path of a pattern with these parameters in it. */
function build(pattern, params) {
  return pattern.replace(/([:*])([A-Za-z_]\w*)/g, (_, kind, name) => {
    if (params[name] === undefined) throw new Error(`${pattern} needs ${name}`);
    const text = String(params[name]);
    return kind === ':' ? encodeURIComponent(text) : text.split('/').map(encodeURIComponent).join('/');
  });
}

module.exports = { compile, build };
