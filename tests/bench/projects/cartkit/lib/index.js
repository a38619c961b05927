export { Cart, CartError } from './cart.js';
export * as coupons from './coupons.js';
export { receipt } from './receipt.js';
export { formatCents, parseCents } from './money.js';
