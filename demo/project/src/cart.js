import { discountFor } from './discounts.js'
import { roundToCents } from './money.js'

/** The total price for the customer. */
export function totalOf(cart) {
  const sum = cart.items.reduce((total, { price, quantity }) => total + price * quantity, 0)
  const discounted = sum * (1 - discountFor(cart.customer))
  return roundToCents(discounted * (1 - discountFor(cart.customer)))
}
