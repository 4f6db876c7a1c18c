import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { openResultFile, type ResultFile } from './result-file.js'
import { Spill } from './spill.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-spill-'))
})
afterEach(() => rm(directory, { recursive: true }))

test('a small output stays in memory, whole', async () => {
  const spill = new Spill({ directory, id: 'toolu_1' })

  await spill.write(Buffer.from('caf\xc3', 'latin1'))
  await spill.write(Buffer.from('\xa9\0 \xff', 'latin1'))

  expect(await spill.finish()).toEqual({ text: 'café\0 \ufffd', receivedBytes: 8, keptBytes: 8, isCut: false })
  expect(await readdir(directory)).toEqual([])
})

test('no output yields an empty text', async () => {
  expect(await new Spill({ directory, id: 'toolu_1' }).finish()).toEqual({
    text: '',
    receivedBytes: 0,
    keptBytes: 0,
    isCut: false,
  })
})

test('a large output is stored in a private file, with a notice and a preview', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 10_000 })
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${String(i).padStart(4, '0')}\n`)

  for (const line of lines) await spill.write(Buffer.from(line))

  const path = join(directory, 'toolu_1.txt')
  expect(await spill.finish()).toEqual({
    text:
      `[Long output: 50,000 bytes; its start and end are below, the whole output is in ${path}. ` +
      'Read a range of that file, or search it with Grep.]\n' +
      `${lines.slice(0, 600).join('')}[… middle omitted …]\n${lines.slice(4_800).join('')}`,
    path,
    receivedBytes: 50_000,
    keptBytes: 50_000,
    isCut: false,
  })
  expect(await readFile(path, 'utf8')).toBe(lines.join(''))
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('a spill is full only above the maximum, and counts bytes exactly', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 10, maxBytes: 20_000 })

  await spill.write(Buffer.alloc(19_000, 'a'))
  expect(spill.isFull).toBe(false)
  await spill.write(Buffer.from(`${'a'.repeat(1_000)}b`))
  expect(spill.isFull).toBe(true)
  await spill.write(Buffer.alloc(1_000, 'c'))

  const path = join(directory, 'toolu_1.txt')
  expect(await spill.finish()).toEqual({
    text:
      `[Long output: 21,001 bytes; the first 20,000 bytes are in ${path}, the rest exceeded the limit. ` +
      'Read a range of that file, or search it with Grep.]\n' +
      `${'a'.repeat(6_000)}\n[… 12,000 characters omitted …]\n${'a'.repeat(2_000)}`,
    path,
    receivedBytes: 21_001,
    keptBytes: 20_000,
    isCut: true,
  })
  expect((await stat(path)).size).toBe(20_000)
})

test('output longer than maxBytes is cut and gets a notice before it, even if it would fit in memory', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', maxBytes: 4 })

  await spill.write(Buffer.from('ab😀'))

  expect(await spill.finish()).toEqual({
    text: '[Long output: 6 bytes; the first 4 bytes are below, the rest exceeded the limit.]\nab',
    receivedBytes: 6,
    keptBytes: 4,
    isCut: true,
  })
})

test('output after the end is ignored', async () => {
  const spill = new Spill({ directory, id: 'toolu_1' })
  await spill.write(Buffer.from('done'))

  const first = await spill.finish()
  await spill.write(Buffer.from(' late'))

  expect(await spill.finish()).toBe(first)
  expect(first.text).toBe('done')
})

test('an output of exactly the maximum is complete', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 10, maxBytes: 5_000 })

  await spill.write(Buffer.alloc(5_000, 'a'))

  expect(spill.isFull).toBe(false)
  expect((await spill.finish()).isCut).toBe(false)
})

test('nothing is written to a closed file, whose descriptor may be reused', async () => {
  const writtenTexts: string[] = []
  const openFile = (folder: string, id: string): ResultFile => {
    const file = openResultFile(folder, id)
    return {
      ...file,
      write(bytes, position) {
        writtenTexts.push(Buffer.from(bytes).toString())
        return file.write(bytes, position)
      },
    }
  }
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 1, openFile })
  await spill.write(Buffer.from('done'))

  await spill.finish()
  await spill.write(Buffer.from(' late'))

  expect(writtenTexts).toEqual(['done'])
})

test('the result has no path if nothing was written to the file', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 1, openFile: createFileFullAfter(0) })
  await spill.write(Buffer.from('lost'))

  expect(await spill.finish()).toEqual({
    text:
      '[Long output: 4 bytes; its start and end are below, ' +
      'the rest could not be stored (ENOSPC: no space left on device, write).]\nlost',
    receivedBytes: 4,
    keptBytes: 0,
    isCut: true,
  })
})

test('the preview is still returned if no file can be created', async () => {
  await writeFile(join(directory, 'file'), '')
  const spill = new Spill({ directory: join(directory, 'file', 'sub'), id: 'toolu_1', memoryBytes: 10 })

  await spill.write(Buffer.from('start '.repeat(10)))
  await spill.write(Buffer.from('end'))

  expect(await spill.finish()).toEqual({
    text: expect.stringMatching(
      /^\[Long output: 63 bytes; its start and end are below, the rest could not be stored \(ENOTDIR.*\)\.\]\n(start ){10}end$/,
    ),
    receivedBytes: 63,
    keptBytes: 0,
    isCut: true,
  })
})

test('if the disk gets full, the written part is kept, and the end is shown from memory', async () => {
  const spill = new Spill({ directory, id: 'toolu_1', memoryBytes: 10, openFile: createFileFullAfter(8_000) })

  for (let i = 0; i < 10; i++) await spill.write(Buffer.alloc(4_000, String(i)))

  const path = join(directory, 'toolu_1.txt')
  expect(await spill.finish()).toEqual({
    text:
      `[Long output: 40,000 bytes; the first 4,000 bytes are in ${path}, ` +
      'the rest could not be stored (ENOSPC: no space left on device, write). ' +
      'Read a range of that file, or search it with Grep.]\n' +
      `${'0'.repeat(4_000)}${'1'.repeat(2_000)}\n[… middle omitted …]\n${'9'.repeat(2_000)}`,
    path,
    receivedBytes: 40_000,
    keptBytes: 4_000,
    isCut: true,
  })
  expect(await readFile(path, 'utf8')).toBe('0'.repeat(4_000))
})

/** A real file that rejects any write beyond `size` bytes. */
function createFileFullAfter(size: number): (directory: string, id: string) => ResultFile {
  return (folder, id) => {
    const file = openResultFile(folder, id)
    return {
      ...file,
      async write(bytes, position) {
        if (position + bytes.length > size) throw new Error('ENOSPC: no space left on device, write')
        await file.write(bytes, position)
      },
    }
  }
}

test('whatever the chunks, the file contains every byte up to the maximum, and the counts are exact', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      chunks,
      fc.nat(300),
      fc.nat(4_000),
      fc.boolean(),
      async (parts, memoryBytes, maxBytes, shouldWait) => {
        const folder = await mkdtemp(join(directory, 'case-'))
        const spill = new Spill({ directory: folder, id: 'x', memoryBytes, maxBytes })

        for (const part of parts) {
          const writePromise = spill.write(part)
          if (shouldWait) await writePromise
        }
        const output = await spill.finish()

        const all = Buffer.concat(parts)
        const keptBytes = all.subarray(0, maxBytes)
        expect([output.receivedBytes, output.keptBytes, output.isCut]).toEqual([
          all.length,
          keptBytes.length,
          all.length > maxBytes,
        ])
        expect(spill.isFull).toBe(output.isCut)
        if (keptBytes.length > memoryBytes) expect((await readFile(output.path ?? '')).equals(keptBytes)).toBe(true)
        else if (!output.isCut) expect(output.text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all))
      },
    ),
    createPropertyOptions(),
  )
})

test('a second output with the same id gets another file', async () => {
  const paths: (string | undefined)[] = []
  for (const text of ['first', 'second', 'third']) {
    const spill = new Spill({ directory, id: 'call_0', memoryBytes: 1 })
    await spill.write(Buffer.from(text))
    paths.push((await spill.finish()).path)
  }

  expect(await Promise.all(paths.map((path) => readFile(path ?? '', 'utf8')))).toEqual(['first', 'second', 'third'])
})

test('all spills of a session share a budget, which includes only output on disk', async () => {
  const budget = { bytesLeft: 1_000 }
  const createSpill = (id: string) => new Spill({ directory, id, memoryBytes: 100, budget })
  const [smallSpill, firstSpill, secondSpill] = [createSpill('small'), createSpill('first'), createSpill('second')]

  await smallSpill.write(Buffer.alloc(90, 'x'))
  await smallSpill.finish()
  await firstSpill.write(Buffer.alloc(700, 'x'))
  await secondSpill.write(Buffer.alloc(700, 'x'))

  expect([firstSpill.isFull, secondSpill.isFull, budget.bytesLeft]).toEqual([false, true, 0])
  expect((await firstSpill.finish()).keptBytes).toBe(700)
  expect(await secondSpill.finish()).toMatchObject({
    keptBytes: 300,
    isCut: true,
    text: expect.stringContaining('the rest exceeded the limit for all commands of this session'),
  })
})
