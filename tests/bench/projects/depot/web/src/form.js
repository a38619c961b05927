// From what somebody typed into the form to numbers, and back to text.

/** Grams of "1,5 kg", "1.5", "800 g". A number without a unit is kilograms. */
export function parseWeight(text) {
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*(kg|g)?\s*$/i.exec(text);
  if (!match) return null;
  const number = Number(match[1].replace(',', '.'));
  return Math.round((match[2] ?? 'kg').toLowerCase() === 'g' ? number : number * 1000);
}

/** Centimetres of "60x30x20", whatever stands between the numbers. */
export function parseSize(text) {
  const numbers = text.match(/\d+(?:[.,]\d+)?/g) ?? [];
  if (numbers.length !== 3) return null;
  return numbers.map((n) => Number(n.replace(',', '.')));
}

/** Cents of "1.234,50 €", "1234.5" or "80". */
export function parseMoney(text) {
  let cleaned = text.replace(/[€\s]/g, '');
  const comma = cleaned.lastIndexOf(',');
  const point = cleaned.lastIndexOf('.');
  if (comma > point) cleaned = cleaned.replaceAll('.', '').replace(',', '.');
  else cleaned = cleaned.replaceAll(',', '');
  if (!/^\d+(\.\d{1,2})?$/.test(cleaned)) return null;
  return Math.round(Number(cleaned) * 100);
}

export function formatMoney(cents) {
  const whole = Math.trunc(Math.abs(cents) / 100).toString().replace(/\B(?=(\d{3})+$)/g, '.');
  const rest = String(Math.abs(cents) % 100).padStart(2, '0');
  return `${cents < 0 ? '-' : ''}${whole},${rest} €`;
}
