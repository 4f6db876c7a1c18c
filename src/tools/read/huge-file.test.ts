import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { createFiles } from '../../ports/files/create-files.js'
import { callTool } from '../../testing/call-tool.js'
import { ReadTool } from './tool.js'

const LINE_COUNT = 1_000_000
const MEGABYTE = 1024 ** 2

/** Writes lines of 100 bytes each. */
async function writeHugeFile(path: string): Promise<void> {
  const out = createWriteStream(path)
  for (let firstLine = 1; firstLine <= LINE_COUNT; firstLine += 10_000) {
    const block = Array.from({ length: 10_000 }, (_, at) => `${firstLine + at}`.padEnd(99, '.')).join('\n')
    if (!out.write(`${block}\n`)) await new Promise<void>((resolve) => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
}

test('a range near the end of a 100 MB file is read with less than 40 MB of memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-huge-'))
  try {
    const path = join(folder, 'huge.log')
    await writeHugeFile(path)
    const files = createFiles({ journalFolder: join(folder, 'journal') })
    const input = { file_path: path, offset: 990_000, limit: 3 }
    const memoryBefore = process.resourceUsage().maxRSS * 1024

    const text = await callTool(ReadTool, input, { files, cwd: folder })

    const growth = process.resourceUsage().maxRSS * 1024 - memoryBefore
    expect(text.split('\n').map((line) => line.replace(/\.+$/, ''))).toEqual([
      ...['990000\t990000', '990001\t990001', '990002\t990002'],
      ...['', '[More lines follow. Continue with offset 990003.]'],
    ])
    expect(growth).toBeLessThan(40 * MEGABYTE)
    await expect(callTool(ReadTool, { ...input, offset: LINE_COUNT + 1 }, { files, cwd: folder })).rejects.toThrow(
      `has ${LINE_COUNT} lines`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}, 60_000)
