import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import { createFiles } from '../../ports/files/create-files.js'
import { callTool } from '../../testing/call-tool.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createFixturePdf } from '../documents/fixture-pdf.js'
import { createFixturePng } from '../documents/fixture-png.js'
import { ReadTool } from './tool.js'

let cwd: string
let files: FilesPort

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'haft-read-'))
  files = createFiles({ journalFolder: join(cwd, '.journal') })
})

afterEach(() => rm(cwd, { recursive: true }))

const read = (file_path: string, options: object = {}) => callTool(ReadTool, { file_path, ...options }, { files, cwd })

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(cwd, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

const createNumberedLines = (firstNumber: number, last: number) =>
  Array.from({ length: last - firstNumber + 1 }, (_, at) => `line ${firstNumber + at}`)

describe('text', () => {
  test('is returned as numbered lines', async () => {
    await put('a.txt', 'one\n\n\tthree\n')
    expect(await read('a.txt')).toBe('1\tone\n2\t\n3\t\tthree')
  })

  test('is returned in ranges, with a note on how to continue', async () => {
    await put('a.txt', createNumberedLines(1, 10).join('\n'))
    expect(await read('a.txt', { offset: 4, limit: 2 })).toBe(
      '4\tline 4\n5\tline 5\n\n[Lines 4 to 5 of 10. Continue with offset 6.]',
    )
    expect(await read('a.txt', { offset: 9, limit: 2 })).toBe('9\tline 9\n10\tline 10')
  })

  test('is limited to 2,000 lines by default', async () => {
    await put('a.txt', createNumberedLines(1, 2001).join('\n'))
    const text = await read('a.txt')
    expect(text).toContain('\n2000\tline 2000\n\n[Lines 1 to 2000 of 2001. Continue with offset 2001.]')
    expect(await read('a.txt', { offset: 0, limit: 1 })).toContain('1\tline 1')
  })

  test('has its long lines cut', async () => {
    await put('a.txt', `${'x'.repeat(2000)}\n${'y'.repeat(2010)}\n${'€'.repeat(50_000)}\nend`)
    const lines = (await read('a.txt')).split('\n')
    expect(lines[0]).toBe(`1\t${'x'.repeat(2000)}`)
    expect(lines[1]).toBe(`2\t${'y'.repeat(2000)}… [line cut: 10 more characters]`)
    expect(lines[2]).toMatch(/^3\t€{2000}… \[line cut: at least \d+ more characters\]$/)
    expect(lines[3]).toBe('4\tend')
  })

  test('is limited by the size of the shown text, not of the file', async () => {
    await put('a.txt', `${'x'.repeat(10_000)}\n`.repeat(40))
    expect((await read('a.txt')).split('\n')).toHaveLength(40)
  })

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffä€😀\r\nzwei\n'), '1\tä€😀\n2\tzwei'],
    ['UTF-16LE', Buffer.from('\ufeffäĊ€😀\r\nzwei\n', 'utf16le'), '1\täĊ€😀\n2\tzwei'],
    ['UTF-16BE', Buffer.from('\ufeffäĊ€😀\nzwei', 'utf16le').swap16(), '1\täĊ€😀\n2\tzwei'],
    ['Latin-1', Buffer.from('Müller\nStraße\n', 'latin1'), '1\tMüller\n2\tStraße'],
    ['lone carriage returns', Buffer.from('one\rtwo\rthree\r'), '1\tone\n2\ttwo\n3\tthree'],
  ])('in %s is read', async (_, bytes, text) => {
    await put('a.txt', bytes)
    expect(await read('a.txt')).toBe(text)
  })

  test('with lone carriage returns is also returned in ranges', async () => {
    await put('a.txt', createNumberedLines(1, 9).join('\r'))
    expect(await read('a.txt', { offset: 3, limit: 2 })).toBe(
      '3\tline 3\n4\tline 4\n\n[Lines 3 to 4 of 9. Continue with offset 5.]',
    )
  })

  test('that is empty is reported as empty', async () => {
    const path = await put('a.txt', '')
    expect(await read('a.txt')).toBe(`${path} exists and is empty.`)
  })

  test('reports its number of lines if the offset is beyond the end', async () => {
    const path = await put('a.txt', 'one\ntwo\n')
    await expect(read('a.txt', { offset: 3 })).rejects.toThrow(`${path} has 2 lines; there is no line 3.`)
    await put('b.txt', 'one\rtwo')
    await expect(read('b.txt', { offset: 9 })).rejects.toThrow('has 2 lines; there is no line 9.')
  })

  test('that is too long is cut, with its number of lines and where to continue', async () => {
    await put('a.txt', Array.from({ length: 1000 }, (_, at) => `${at}`.padEnd(500, 'x')).join('\n'))
    const text = await read('a.txt', { offset: 11 })
    const [, last, next] =
      /Lines 11 to (\d+) of 1000; .* 25000 tokens\. Continue with offset (\d+)\.\]$/.exec(text) ?? []
    expect(Number(next)).toBe(Number(last) + 1)
    expect(text).toContain(`\n${last}\t`)
    expect(text).not.toContain(`\n${next}\t`)
    expect((await read('a.txt', { offset: 11 })).slice(0, 200)).toContain('has not changed since you read')
    expect(await read('a.txt', { offset: Number(next), limit: 1 })).toMatch(new RegExp(`^${next}\t`))
  })
})

describe('a file that was read', () => {
  test('is reported as unchanged for the same range only', async () => {
    const path = await put('a.txt', createNumberedLines(1, 5).join('\n'))
    await read('a.txt', { limit: 2 })
    expect(await read('a.txt', { limit: 2 })).toContain(`${path} has not changed since you read lines 1 to 2 of it`)
    expect(await read('a.txt', { limit: 3 })).toContain('3\tline 3')
    await put('a.txt', createNumberedLines(2, 5).join('\n'))
    expect(await read('a.txt', { limit: 3 })).toContain('1\tline 2')
  })

  test('is shown again to another agent', async () => {
    await put('a.txt', 'one')
    await read('a.txt')
    expect(await callTool(ReadTool, { file_path: 'a.txt' }, { files, cwd, agentId: 'helper' })).toBe('1\tone')
  })

  test('is shown again if it was written afterwards', async () => {
    const path = await put('a.txt', 'one')
    await read('a.txt')
    const { shown: _, ...writtenEntry } = files.readFileState.get(path) ?? { contentHash: '', mtimeMs: 0 }
    files.readFileState.set(path, writtenEntry)
    expect(await read('a.txt')).toBe('1\tone')
  })

  test('is recorded under its real path, whole or in part', async () => {
    const path = await put('deep/a.txt', 'one\ntwo\n')
    await symlink('deep', join(cwd, 'link'))
    await read('link/../deep/../link/a.txt')
    expect(files.readFileState.get(path)).toMatchObject({ contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(files.readFileState.get(path)).not.toHaveProperty('range')
    await read('link/a.txt', { limit: 1 })
    expect(files.readFileState.get(path)).toMatchObject({ range: { offset: 1, limit: 1 }, bytes: { start: 0, end: 4 } })
  })
})

describe('a missing file', () => {
  test.each([
    ['src/index.js', 'src/index.ts'],
    ['src/Index.ts', 'src/index.ts'],
    ['src/indx.ts', 'src/index.ts'],
    ['scr/index.ts', 'src/index.ts'],
    ['/elsewhere/project/src/index.ts', 'src/index.ts'],
    ['app/src/index.ts', 'src/index.ts'],
  ])('%s is reported with the suggestion %s', async (requestedPath, suggestion) => {
    await put('src/index.ts', 'x')
    await expect(read(requestedPath)).rejects.toThrow(`does not exist. Did you mean ${join(cwd, suggestion)}`)
  })

  test('without similar names is reported with the working directory', async () => {
    await expect(read('zzzzzzzz')).rejects.toThrow(`does not exist. The working directory is ${cwd}.`)
  })

  test('behind a link is reported as a broken link', async () => {
    await symlink('gone', join(cwd, 'link'))
    await expect(read('link')).rejects.toThrow(`link is a symbolic link to ${join(cwd, 'gone')}, which does not exist`)
  })
})

describe('a path that cannot be read', () => {
  test('is refused with advice: a folder', async () => {
    await expect(read('.')).rejects.toThrow('is a folder. List its files with Glob')
  })

  test('is refused with advice: a binary file', async () => {
    await put('a.bin', Uint8Array.from([1, 2, 0, 3]))
    await expect(read('a.bin')).rejects.toThrow('is a binary file')
  })

  test.each(['/dev/zero', '/dev/stdin', '/proc/self/mem', '/proc/self/pagemap', '/proc/kmsg'])(
    'is refused without blocking: %s',
    async (path) => {
      await expect(read(path)).rejects.toThrow(/never end|does not exist/)
      await symlink(path, join(cwd, 'link'))
      await expect(read('link')).rejects.toThrow(/never end|does not exist/)
    },
  )

  testWithProgram('mkfifo', 'coreutils')('is refused without blocking: a pipe', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    await expect(read('pipe')).rejects.toThrow('is a device, pipe or socket')
  })

  test.each(['\\\\server\\share\\a', '//server/share/a', 'a\0b'])(
    'is refused before the disk is accessed: %j',
    async (path) => {
      const unusableFiles = new Proxy(files, {
        get: () => {
          throw new Error('the disk was accessed')
        },
      })
      await expect(callTool(ReadTool, { file_path: path }, { files: unusableFiles, cwd })).rejects.toMatchObject({
        code: 'input_refused',
      })
    },
  )
})

test.each(['-dash', 'a b', '* ?', 'new\nline', 'ünï'])('a file with the name %j can be read', async (name) => {
  await put(name, 'one')
  expect(await read(name)).toBe('1\tone')
})

test('a file whose name is not valid UTF-8 is read by its escaped name', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${cwd}/a`), Buffer.of(0xff)]), 'one')
  expect(await read('a\\xff')).toBe('1\tone')
})

describe('an image', () => {
  const readBlocks = async (file_path: string) => {
    const context = { files, cwd, signal: new AbortController().signal } as never
    const { data } = await ReadTool.call({ file_path }, context)
    return ReadTool.mapToolResultToToolResultBlockParam(data, 'id').content
  }

  test('is shown as an image, whatever its name', async () => {
    const png = Buffer.from(createFixturePng(30, 20))
    const source = { type: 'base64', media_type: 'image/png', data: png.toString('base64') }
    await put('a.png', png)
    await put('b.txt', png)
    expect(await readBlocks('a.png')).toEqual([{ type: 'image', source }])
    expect(await readBlocks('b.txt')).toEqual([{ type: 'image', source }])
  })

  test('is scaled down if too large, with a note for the model', async () => {
    await put('a.png', createFixturePng(3136, 100))
    expect(await readBlocks('a.png')).toMatchObject([
      { type: 'image' },
      { type: 'text', text: 'The image is 3136 × 100 pixels and is shown at 1568 × 50.' },
    ])
  })

  test('in name only is read as text', async () => {
    await put('a.png', 'no picture')
    expect(await read('a.png')).toBe('1\tno picture')
  })
})

describe('a PDF', () => {
  test('is read only in part if the call selects pages', async () => {
    await put('a.pdf', createFixturePdf(['One', 'Two', 'Page three', 'Four', 'Five']))
    expect(await read('a.pdf', { pages: '3' })).toBe(
      '<page 3 of 5>\nPage three\n</page>\n[2 more pages follow. Continue with pages: "4".]',
    )
  })

  test('of more than ten pages is refused if the call selects no pages', async () => {
    await put('a.pdf', createFixturePdf(Array.from({ length: 11 }, (_, at) => `Page ${at}`)))
    await expect(read('a.pdf')).rejects.toThrow('has 11 pages. Choose the pages to read')
    await expect(read('a.pdf', { pages: 'all' })).rejects.toMatchObject({ code: 'input_refused' })
  })
})

describe('a notebook', () => {
  const png = Buffer.from(createFixturePng(3, 2)).toString('base64')
  const createOutput = (data: object) => ({ output_type: 'display_data', metadata: {}, data })
  const notebook = JSON.stringify({
    cells: [
      { cell_type: 'markdown', id: 'intro', source: ['# Title'] },
      {
        cell_type: 'code',
        id: 'plot',
        execution_count: 2,
        source: ['plot()'],
        outputs: [
          createOutput({ 'image/png': png }),
          createOutput({ 'text/plain': 'x'.repeat(20_000) }),
          { output_type: 'error', ename: 'E', evalue: 'bad', traceback: [] },
        ],
      },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  })

  test('is returned by cell with its outputs, long ones cut', async () => {
    await put('a.ipynb', notebook)
    const text = await read('a.ipynb')
    expect(text).toContain(
      '<cell id="intro" (markdown)>\n# Title\n</cell>\n<cell id="plot" (code, python, run 2)>\nplot()\n</cell>\n[image]',
    )
    expect(text).toContain('[… 10000 characters of output omitted')
    expect(text).toContain('<output error>\nE: bad\n</output>')
    expect(text.length).toBeLessThan(11_000)
  })

  test('is returned in ranges of cells', async () => {
    await put('a.ipynb', notebook)
    expect(await read('a.ipynb', { limit: 1 })).toBe(
      '<cell id="intro" (markdown)>\n# Title\n</cell>\n[More cells follow. Continue with offset 2.]',
    )
    await expect(read('a.ipynb', { offset: 3 })).rejects.toThrow('has 2 cells; there is no cell 3')
  })

  test('that is broken is read as text', async () => {
    await put('a.ipynb', '{ "cells": [')
    expect(await read('a.ipynb')).toBe('1\t{ "cells": [')
  })
})

test('Read declares the file that it reads, and leaves permission to the rules', () => {
  const input = { file_path: 'a/../b' }
  expect(ReadTool.resources(input)).toEqual({ reads: [{ path: 'a/../b' }] })
  expect(ReadTool.getPath(input)).toBe('a/../b')
  expect([ReadTool.isReadOnly(), ReadTool.isConcurrencySafe()]).toEqual([true, true])
  expect(ReadTool.checkPermissions()).toEqual({ behavior: 'passthrough' })
  expect(ReadTool.maxResultSizeChars).toBe(Number.POSITIVE_INFINITY)
})
