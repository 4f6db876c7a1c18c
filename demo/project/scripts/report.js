// Prints all orders of a year: more than a model should read at once.
for (let order = 1; order <= 4_000; order++) {
  const total = ((order * 7919) % 10_000) / 100
  console.log(`order ${String(order).padStart(5, '0')}  customer ${order % 97}  total ${total.toFixed(2)}`)
}
