import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OutputPipe } from './command-run.js'

let folder = ''
let readEnd = 0
let writeEnd = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-pipe-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  writeEnd = openSync(path, constants.O_WRONLY)
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Creates a reader that accepts no chunk before `open` is called. */
function createSlowReader(): { readonly take: (chunk: Uint8Array) => Promise<void>; open(): void; text(): string } {
  let text = ''
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    async take(chunk) {
      await opened
      text += Buffer.from(chunk).toString()
    },
    open,
    text: () => text,
  }
}

test('all output that was written before the end of the pipe is read', async () => {
  const reader = createSlowReader()
  const pipe = new OutputPipe(readEnd, reader.take)
  reader.open()
  writeSync(writeEnd, 'one')
  writeSync(writeEnd, 'two')
  closeSync(writeEnd)

  await pipe.ended

  expect(reader.text()).toBe('onetwo')
})

test('finishing an output pipe reads the rest, even if a process holds it and the reader is slow', async () => {
  const reader = createSlowReader()
  const pipe = new OutputPipe(readEnd, reader.take)
  writeSync(writeEnd, 'first')
  await new Promise((resolve) => setImmediate(resolve))
  writeSync(writeEnd, 'second'.repeat(10_000))

  const pendingFinish = pipe.finish()
  reader.open()
  await pendingFinish

  expect(reader.text()).toBe(`first${'second'.repeat(10_000)}`)
  expect(() => writeSync(writeEnd, 'more')).toThrow(/EPIPE/)
  closeSync(writeEnd)
})

test('finishing an output pipe does not wait for an endless writer', async () => {
  let takenBytes = 0
  const pipe = new OutputPipe(readEnd, async (chunk) => {
    takenBytes += chunk.length
    writeSync(writeEnd, 'x'.repeat(4096))
  })
  writeSync(writeEnd, 'x')

  await pipe.finish()

  expect(takenBytes).toBeLessThan(2 * 1024 ** 2)
  closeSync(writeEnd)
})
