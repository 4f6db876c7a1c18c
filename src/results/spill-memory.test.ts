import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, test } from 'vitest'

const MEGABYTE = 1024 ** 2
const MAX_MEMORY_BYTES = 200 * MEGABYTE

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-spill-memory-'))
})
afterEach(() => rm(folder, { recursive: true }))

interface Run {
  readonly bytes: number
  readonly maxBytes: number
  readonly chunkBytes: number
  /** Whether the producer writes without waiting for the disk. */
  readonly ignoresBackpressure?: boolean
}

/** Streams in a separate process, so that its peak memory use is that of the spill. */
async function stream(run: Run): Promise<Record<string, unknown>> {
  const program = join(folder, 'program.mjs')
  const source = `
    import { Spill } from ${JSON.stringify(join(import.meta.dirname, 'spill.ts'))}
    const { bytes, maxBytes, chunkBytes, ignoresBackpressure } = ${JSON.stringify(run)}
    const spill = new Spill({ directory: ${JSON.stringify(join(folder, 'out'))}, id: 'toolu_1', maxBytes })
    let fullAt
    for (let sent = 0; sent < bytes; sent += chunkBytes) {
      const written = spill.write(Buffer.alloc(chunkBytes, sent === 0 ? 'a' : 'b'))
      if (!ignoresBackpressure) await written
      if (spill.isFull) fullAt ??= sent + chunkBytes
    }
    const { text, receivedBytes, keptBytes, isCut } = await spill.finish()
    const peak = process.resourceUsage().maxRSS * 1024
    console.log(JSON.stringify({ peak, fullAt, receivedBytes, keptBytes, isCut, length: text.length }))
  `
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  return JSON.parse(stdout)
}

async function expectBounded(run: Run): Promise<void> {
  const { peak, length, ...counts } = await stream(run)

  expect(counts).toEqual({
    fullAt: run.maxBytes + run.chunkBytes,
    receivedBytes: run.bytes,
    keptBytes: run.maxBytes,
    isCut: true,
  })
  expect(peak).toBeLessThan(MAX_MEMORY_BYTES)
  expect(length).toBeLessThan(9_000)
}

test('hundreds of megabytes of output are stored in under 200 MB of memory', async () => {
  await expectBounded({ bytes: 320 * MEGABYTE, maxBytes: 256 * MEGABYTE, chunkBytes: 64 * 1024 })
})

test('output that arrives faster than the disk writes does not fill the memory', async () => {
  await expectBounded({
    bytes: 320 * MEGABYTE,
    maxBytes: 256 * MEGABYTE,
    chunkBytes: 64 * 1024,
    ignoresBackpressure: true,
  })
})

test('tiny chunks take no more memory than large ones', async () => {
  await expectBounded({ bytes: 8 * MEGABYTE, maxBytes: 6 * MEGABYTE, chunkBytes: 4, ignoresBackpressure: true })
})

test.runIf(process.env.HAFT_LONG_TESTS)(
  '5 GiB of output take less than 200 MB of memory, and 2 GiB of them are kept',
  async () => {
    await expectBounded({ bytes: 5 * 1024 * MEGABYTE, maxBytes: 2 * 1024 * MEGABYTE, chunkBytes: 64 * 1024 })
  },
  600_000,
)
