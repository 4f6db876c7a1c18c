import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isEntryCurrent } from '../../contract/ports/read-file-state.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { updateKnownFile } from './known-file.js'

const createRangeIn = (length: number) =>
  fc.tuple(fc.nat(length), fc.nat(length)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))
/** All bytes differ, so that there is only one way to locate a change. */
const cases = fc.uniqueArray(fc.nat(127), { maxLength: 40 }).chain((content) =>
  fc.record({
    content: fc.constant(Buffer.from(content)),
    part: createRangeIn(content.length),
    change: createRangeIn(content.length),
    text: fc.uint8Array({ min: 128, minLength: 1, maxLength: 8 }),
  }),
)

test('after an edit, the part of a file that counts as read includes the edit only if the edit overlaps or adjoins it', () => {
  fc.assert(
    fc.property(cases, ({ content, part, change, text }) => {
      const entry = { contentHash: computeContentHash(content.subarray(part.start, part.end)), mtimeMs: 1, bytes: part }
      const contentAfter = Buffer.concat([content.subarray(0, change.start), text, content.subarray(change.end)])
      const writtenFile = { realPath: '/a', mtimeMs: 2 }

      const entryAfter = updateKnownFile({ entry, content, mtimeMs: 1 }, writtenFile, contentAfter)

      expect(isEntryCurrent(entryAfter, contentAfter)).toBe(true)
      if (change.end < part.start || change.start > part.end) expect(entryAfter.contentHash).toBe(entry.contentHash)
      else
        expect(contentAfter.subarray(entryAfter.bytes?.start, entryAfter.bytes?.end).includes(Buffer.from(text))).toBe(
          true,
        )
    }),
    createPropertyOptions(),
  )
})
