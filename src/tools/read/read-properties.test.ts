import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFiles } from '../../ports/files/create-files.js'
import { callTool } from '../../testing/call-tool.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { ReadTool } from './tool.js'

const ENCODINGS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
}

/** Characters that are special in some encoding: U+0A0A and U+0D0D contain the bytes of line endings. */
const character = fc.constantFrom('a', 'Z', ' ', '\t', 'ä', '€', '😀', '\u0a0a', '\u0d0d', '\u0a00', '\ufeff', '\u2028')
// Every line starts with a letter, so that a byte order mark cannot occur by chance.
const line = fc.string({ unit: character, maxLength: 12 }).map((text) => `x${text}`)

test('for any encoding and line endings, exactly the requested lines are returned', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-read-'))
  const path = join(folder, 'a')
  const cases = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 20 }),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    hasLastEnd: fc.boolean(),
    encoding: fc.constantFrom(...Object.keys(ENCODINGS)),
    offset: fc.integer({ min: 1, max: 25 }),
    limit: fc.integer({ min: 1, max: 25 }),
  })
  try {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lines, end, hasLastEnd, encoding, offset, limit }) => {
        // A lone carriage return ends a line only in eight-bit text, and only if it occurs before the end of the file.
        fc.pre(end !== '\r' || (encoding.startsWith('UTF-8') && lines.length > 1))
        const text = lines.join(end) + (hasLastEnd ? end : '')
        await writeFile(path, ENCODINGS[encoding]?.(text) ?? '')
        const files = createFiles({ journalFolder: join(folder, 'journal') })
        const readPromise = callTool(ReadTool, { file_path: path, offset, limit }, { files, cwd: folder })
        if (offset > lines.length) {
          await expect(readPromise).rejects.toThrow(lines.length === 1 ? 'has 1 line;' : `has ${lines.length} lines;`)
          return
        }
        const lastLine = Math.min(lines.length, offset + limit - 1)
        const expectedLines = lines.slice(offset - 1, lastLine).map((each, at) => `${offset + at}\t${each}`)
        const notice =
          lastLine < lines.length
            ? `\n\n[Lines ${offset} to ${lastLine} of ${lines.length}. Continue with offset ${lastLine + 1}.]`
            : ''
        expect(await readPromise).toBe(expectedLines.join('\n') + notice)
      }),
      createPropertyOptions(),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
