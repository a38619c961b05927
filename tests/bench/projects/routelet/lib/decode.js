'use strict';

/**
 * A text with its escapes decoded. Broken escapes are left as they are, whole ones beside them are
 * decoded all the same: "100%25 %zz" is "100% %zz".
 */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
  }
}

module.exports = { decode };
