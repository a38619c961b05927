// Coupons: finding them, and what they take off.
import { percentOf } from './money.js';

export class CouponError extends Error {}

const SHOP_OFFSET = 60; // minutes ahead of UTC, all year

/** The day in the shop at a moment, "2024-03-01". */
export function shopDay(moment) {
  return new Date(moment.getTime() + SHOP_OFFSET * 60_000).toISOString().slice(0, 10);
}

/** Whether a coupon holds at a moment. Without a first or last day it is open on that side. */
export function holds(coupon, moment) {
  const day = shopDay(moment);
  if (coupon.from && day < coupon.from) return false;
  if (coupon.until && day > coupon.until) return false;
  return true;
}

/** The coupon of a code as somebody typed it. */
export function find(code, list, moment) {
  const wanted = code.trim().toUpperCase();
  const coupon = list.find((c) => c.code.toUpperCase() === wanted);
  if (!coupon) throw new CouponError(`no coupon ${wanted}`);
  if (!holds(coupon, moment)) throw new CouponError(`coupon ${wanted} does not hold today`);
  return coupon;
}

/** What a list of coupons takes off an amount: percents first, then fixed ones, never below 0. */
export function takeOff(coupons, goods) {
  let left = goods;
  for (const coupon of coupons.filter((c) => c.percent)) {
    left -= percentOf(left, coupon.percent);
  }
  for (const coupon of coupons.filter((c) => c.cents)) {
    if (goods >= (coupon.minimum ?? 0)) left -= Math.min(left, coupon.cents);
  }
  return goods - left;
}
