import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { IndexQueue } from './call-order.js'

test('the queue returns the item with the lowest index first', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(50), { nil: 'pop' as const })), (steps) => {
      const queue = new IndexQueue<{ index: number }>()
      const model: number[] = []
      for (const step of steps) {
        if (step !== 'pop') {
          queue.push({ index: step })
          model.push(step)
        } else {
          model.sort((a, b) => a - b)
          expect(queue.pop()?.index).toBe(model.shift())
        }
        expect(queue.peek()?.index).toBe(model.length === 0 ? undefined : Math.min(...model))
      }
    }),
    createPropertyOptions(300),
  )
})
