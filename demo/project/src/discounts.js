const DISCOUNTS = { regular: 0.1, staff: 0.3 }

/** The discount rate, from 0 to 1. */
export function discountFor(customer) {
  return DISCOUNTS[customer] ?? 0
}
