// Numbers of parcels and the bar that shows how far one has come.

const WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];
const STATES = ['announced', 'accepted', 'on the way', 'in delivery', 'delivered'];

export function checkDigit(serial) {
  const sum = WEIGHTS.reduce((total, weight, n) => total + weight * Number(serial[n]), 0);
  const rest = 11 - (sum % 11);
  if (rest === 10) return 0;
  if (rest === 11) return 5;
  return rest;
}

export function isValid(number) {
  const match = /^[A-Z]{2}(\d{8})(\d)[A-Z]{2}$/.exec(number.replaceAll(' ', '').toUpperCase());
  return match !== null && checkDigit(match[1]) === Number(match[2]);
}

/** "RR 4731 2482 9 GB", as it is printed. */
export function pretty(number) {
  const plain = number.replaceAll(' ', '').toUpperCase();
  return plain.replace(/^(..)(....)(....)(.)(..)$/, '$1 $2 $3 $4 $5');
}

/** How much of the bar is filled, 0 to 100. */
export function progress(state) {
  const place = STATES.indexOf(state);
  if (place < 0) throw new RangeError(`no such state: ${state}`);
  return Math.round((place * 100) / (STATES.length - 1));
}
