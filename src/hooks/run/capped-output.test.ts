import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { CappedOutput, MAX_OUTPUT_BYTES } from './capped-output.js'

test('hook output that arrives in single bytes needs less than 64 bytes of memory per byte', async () => {
  const stream = new PassThrough()
  const output = new CappedOutput(stream)
  const memoryBefore = measureMemory()

  // A separate buffer for each chunk, as reads from a pipe return.
  for (let index = 0; index < MAX_OUTPUT_BYTES; index++) stream.emit('data', Buffer.alloc(1, 'x'))

  expect(measureMemory() - memoryBefore).toBeLessThan(64 * MAX_OUTPUT_BYTES)
  expect(output.text).toBe('x'.repeat(MAX_OUTPUT_BYTES))
  expect(output.hasOverflowed).toBe(false)
})

test('hook output beyond the limit is dropped and reported as overflowed', () => {
  const stream = new PassThrough()
  const output = new CappedOutput(stream)

  stream.emit('data', Buffer.alloc(MAX_OUTPUT_BYTES - 1, 'x'))
  stream.emit('data', Buffer.from('yz'))
  stream.emit('data', Buffer.from('z'))

  expect(output.text).toBe(`${'x'.repeat(MAX_OUTPUT_BYTES - 1)}y`)
  expect(output.hasOverflowed).toBe(true)
})

test('chunks of hook output of any size are joined in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3000 })), (texts) => {
      const stream = new PassThrough()
      const output = new CappedOutput(stream)

      for (const text of texts) stream.emit('data', Buffer.from(text))

      expect(output.text).toBe(new TextDecoder().decode(Buffer.from(texts.join(''))))
    }),
    createPropertyOptions(),
  )
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function measureMemory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
