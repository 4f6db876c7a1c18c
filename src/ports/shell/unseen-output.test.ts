import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { UnseenOutput } from './command-output.js'

describe('unread output', () => {
  test('is returned once', () => {
    const unseenOutput = new UnseenOutput()
    unseenOutput.push(Buffer.from('one'))

    expect(unseenOutput.take({ hasEnded: false })).toBe('one')
    expect(unseenOutput.take({ hasEnded: false })).toBe('')
    unseenOutput.push(Buffer.from('two'))
    expect(unseenOutput.take({ hasEnded: true })).toBe('two')
  })

  test('is complete for any chunks and any times of reading', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(40), fc.boolean())),
        (steps) => {
          const unseenOutput = new UnseenOutput()
          let readText = ''
          const expected = Buffer.from(steps.map(([text]) => text).join(''))
          let sentBytes = 0
          for (const [, length, shouldRead] of steps) {
            unseenOutput.push(expected.subarray(sentBytes, sentBytes + length))
            sentBytes += length
            if (shouldRead) readText += unseenOutput.take({ hasEnded: false })
          }
          unseenOutput.push(expected.subarray(sentBytes))
          readText += unseenOutput.take({ hasEnded: true })
          expect(readText).toBe(expected.toString())
        },
      ),
      createPropertyOptions(),
    )
  })

  test('is shortened to its start and end with the path if it is long, for any chunk size', () => {
    const text = `start ${'x'.repeat(60_000)} end`
    for (const size of [1, 7, 1000, 100_000]) {
      const unseenOutput = new UnseenOutput(10_000)
      for (let at = 0; at < text.length; at += size) unseenOutput.push(Buffer.from(text.slice(at, at + size)))

      const output = unseenOutput.take({ path: '/out', hasEnded: false })

      expect(output).toMatch(/^\[Long output: 60010 bytes received; .* in \/out\.\]\nstart x{5994}\n.*\nx{1996} end$/)
      expect(unseenOutput.take({ hasEnded: false })).toBe('')
    }
  })

  test('is never cut inside a character', () => {
    const unseenOutput = new UnseenOutput(10_000)
    unseenOutput.push(Buffer.from(`a${'€'.repeat(10_000)}`))

    expect(unseenOutput.take({ hasEnded: true })).not.toContain('\uFFFD')
  })

  test('is shown with replacement characters if its UTF-8 is invalid or incomplete', () => {
    const unseenOutput = new UnseenOutput()
    unseenOutput.push(Buffer.from([0xff, 0x80, 0x80, 0x80, 0x80]))
    expect(unseenOutput.take({ hasEnded: false })).toBe('\uFFFD'.repeat(5))
    unseenOutput.push(Buffer.from([0xe2, 0x82]))
    expect(unseenOutput.take({ hasEnded: false })).toBe('')
    expect(unseenOutput.take({ hasEnded: true })).toBe('\uFFFD')
  })
})
