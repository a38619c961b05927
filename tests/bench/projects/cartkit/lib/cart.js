// The cart: lines, coupons and what it all comes to.
import { takeOff } from './coupons.js';
import { distribute, percentOf } from './money.js';
import { shippingFor } from './shipping.js';
import { RATES, taxTable } from './tax.js';

export class CartError extends Error {}

const QUANTITY_STEPS = [[10, 10], [5, 5]]; // pieces, percent

export class Cart {
  constructor({ country = 'DE' } = {}) {
    this.country = country;
    this.lines = [];
    this.coupons = [];
  }

  /** Adds pieces of an article; if it is in the cart already, to its line. */
  add(article, quantity = 1) {
    if (!Number.isInteger(quantity) || quantity < 1) {
      throw new CartError(`not a quantity: ${quantity}`);
    }
    if (!Number.isInteger(article.price) || article.price < 0) {
      throw new CartError(`not a price: ${article.price}`);
    }
    if (!((article.tax ?? 'standard') in RATES)) throw new CartError(`no tax ${article.tax}`);
    const line = this.line(article.sku);
    if (line) {
      line.quantity += quantity;
    } else {
      this.lines.push({ tax: 'standard', weight: 0, ...article, quantity });
    }
    return this;
  }

  line(sku) {
    return this.lines.find((l) => l.sku === sku);
  }

  /** Sets the pieces of a line; 0 removes it. */
  setQuantity(sku, quantity) {
    const line = this.line(sku);
    if (!line) throw new CartError(`no ${sku} in the cart`);
    if (!Number.isInteger(quantity) || quantity < 0) {
      throw new CartError(`not a quantity: ${quantity}`);
    }
    if (quantity === 0) this.lines = this.lines.filter((l) => l !== line);
    else line.quantity = quantity;
  }

  /** Takes a coupon; of percent coupons and of fixed ones one each. */
  apply(coupon) {
    const kind = coupon.percent ? 'percent' : 'cents';
    if (this.coupons.some((c) => c[kind])) {
      throw new CartError(`there is a coupon of this kind already`);
    }
    this.coupons.push(coupon);
    return this;
  }

  /** A line's amount, its discount by quantity taken off. */
  lineAmount(line) {
    const full = line.price * line.quantity;
    const step = QUANTITY_STEPS.find(([pieces]) => line.quantity >= pieces);
    return step ? full - percentOf(full, step[1]) : full;
  }

  /** All lines, before coupons. */
  goods() {
    return this.lines.reduce((sum, line) => sum + this.lineAmount(line), 0);
  }

  discount() {
    return takeOff(this.coupons, this.goods());
  }

  weight() {
    return this.lines.reduce((sum, line) => sum + line.weight * line.quantity, 0);
  }

  shipping() {
    return shippingFor(this.country, this.weight(), this.goods() - this.discount());
  }

  total() {
    return this.goods() - this.discount() + this.shipping();
  }

  pieces() {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  /** The tax table: coupons are spread over the lines, shipping has the standard rate. */
  taxes() {
    const amounts = this.lines.map((line) => this.lineAmount(line));
    const off = distribute(this.discount(), amounts);
    const parts = this.lines.map((line, n) => [line.tax, amounts[n] - off[n]]);
    if (this.shipping() > 0) parts.push(['standard', this.shipping()]);
    return taxTable(parts);
  }

  toJSON() {
    return { country: this.country, lines: this.lines, coupons: this.coupons };
  }

  static fromJSON(record) {
    const cart = new Cart({ country: record.country });
    cart.lines = record.lines.map((line) => ({ ...line }));
    cart.coupons = [...record.coupons];
    return cart;
  }
}
