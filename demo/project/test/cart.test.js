import assert from 'node:assert/strict'
import test from 'node:test'
import { totalOf } from '../src/cart.js'

test('a regular customer pays a tenth less', () => {
  const items = [{ price: 10, quantity: 2 }]

  assert.equal(totalOf({ items, customer: 'regular' }), 18)
})
