// The receipt as text, 40 columns wide.
import { formatCents } from './money.js';

const WIDTH = 40;

function row(left, right) {
  const room = WIDTH - right.length - 1;
  const text = left.length > room ? `${left.slice(0, room - 1)}…` : left;
  return `${text.padEnd(WIDTH - right.length)}${right}`;
}

export function receipt(cart) {
  const rows = [];
  for (const line of cart.lines) {
    rows.push(row(`${line.quantity} x ${line.name}`, formatCents(cart.lineAmount(line))));
  }
  rows.push('-'.repeat(WIDTH));
  if (cart.discount() > 0) {
    const codes = cart.coupons.map((c) => c.code).join(', ');
    rows.push(row(`Coupons (${codes})`, formatCents(-cart.discount())));
  }
  rows.push(row('Shipping', cart.shipping() ? formatCents(cart.shipping()) : 'free'));
  rows.push(row('Total', formatCents(cart.total())));
  for (const tax of cart.taxes()) {
    if (tax.rate) rows.push(row(`  contains ${tax.rate} % tax`, formatCents(tax.tax)));
  }
  return `${rows.join('\n')}\n`;
}
