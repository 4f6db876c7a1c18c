import { expect, test } from 'vitest'
import { BoundedWriter } from './bounded-writer.js'
import type { ResultFile } from './result-file.js'

/** A disk that finishes a write only when the test calls `release`. */
class HeldDisk implements ResultFile {
  readonly path = '(held)'
  readonly bytes = Buffer.alloc(1_000)
  length = 0
  syncWrites = 0
  isClosed = false
  readonly #heldWrites: (() => void)[] = []

  write(bytes: Uint8Array, position: number): Promise<void> {
    return new Promise((resolve) => {
      this.#heldWrites.push(() => {
        this.#storeBytes(bytes, position)
        resolve()
      })
    })
  }

  writeNow(bytes: Uint8Array, position: number): void {
    this.syncWrites++
    this.#storeBytes(bytes, position)
  }

  async truncate(length: number): Promise<void> {
    this.length = length
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  get heldWriteCount(): number {
    return this.#heldWrites.length
  }

  release(): void {
    this.#heldWrites.shift()?.()
  }

  get text(): string {
    return this.bytes.toString('utf8', 0, this.length)
  }

  #storeBytes(bytes: Uint8Array, position: number): void {
    this.bytes.set(bytes, position)
    this.length = Math.max(this.length, position + bytes.length)
  }
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending
}

test('appending to a bounded writer waits while the disk is busy and the block is half full', async () => {
  const disk = new HeldDisk()
  const writer = new BoundedWriter(disk, 10)

  const first = writer.append(Buffer.from('aaaa'))
  const second = writer.append(Buffer.from('bbbb'))
  const third = writer.append(Buffer.from('c'))

  expect([await isPending(first), await isPending(second), await isPending(third)]).toEqual([false, false, true])
  disk.release()
  await third
  disk.release()
  expect(await writer.close()).toEqual({ writtenBytes: 9 })
  expect([disk.text, disk.isClosed, disk.syncWrites]).toEqual(['aaaabbbbc', true, 0])
})

test('a caller that does not wait for append is slowed by synchronous writes, and no bytes are lost or reordered', async () => {
  const disk = new HeldDisk()
  const writer = new BoundedWriter(disk, 10)
  const chunks = Array.from({ length: 50 }, (_, i) => `${i},`)

  for (const chunk of chunks) void writer.append(Buffer.from(chunk))

  // One write is still pending; all others were synchronous.
  expect(disk.heldWriteCount).toBe(1)
  expect(disk.syncWrites).toBeGreaterThan(10)
  const pendingClose = writer.close()
  while (disk.heldWriteCount > 0) {
    disk.release()
    await new Promise(setImmediate)
  }
  expect(await pendingClose).toEqual({ writtenBytes: chunks.join('').length })
  expect(disk.text).toBe(chunks.join(''))
})

test('a bounded writer writes a chunk longer than a block completely', async () => {
  const disk = new HeldDisk()
  const writer = new BoundedWriter(disk, 10)
  const text = 'abcdefg'.repeat(20)

  void writer.append(Buffer.from(text))
  const pendingClose = writer.close()
  while (disk.heldWriteCount > 0) {
    disk.release()
    await new Promise(setImmediate)
  }

  expect(await pendingClose).toEqual({ writtenBytes: 140 })
  expect(disk.text).toBe(text)
})

test('a bounded writer copies each chunk, so that the caller may reuse it', async () => {
  const disk = new HeldDisk()
  const writer = new BoundedWriter(disk, 10)
  const chunk = Buffer.from('abc')

  void writer.append(chunk)
  chunk.fill('x')
  const pendingClose = writer.close()
  disk.release()
  await pendingClose

  expect(disk.text).toBe('abc')
})

test('a failed write truncates the file at its position, even if later bytes were written', async () => {
  const disk = new HeldDisk()
  const failure = new Error('EIO: i/o error, write')
  let fail = (_: Error): void => {}
  disk.write = () => new Promise((_, reject) => (fail = reject))
  const writer = new BoundedWriter(disk, 4)

  void writer.append(Buffer.from('abcdefghij'))
  const lastAppend = writer.append(Buffer.from('k'))
  fail(failure)
  await lastAppend
  await writer.append(Buffer.from('dropped'))

  expect(await writer.close()).toEqual({ writtenBytes: 0, error: failure })
  expect([disk.length, disk.isClosed]).toEqual([0, true])
})

test('a file that cannot be truncated is still closed', async () => {
  const disk = new HeldDisk()
  const failure = new Error('EIO: i/o error, write')
  disk.write = () => Promise.reject(failure)
  disk.truncate = () => Promise.reject(new Error('EIO: i/o error, ftruncate'))
  const writer = new BoundedWriter(disk, 4)

  void writer.append(Buffer.from('ab'))

  expect(await writer.close()).toEqual({ writtenBytes: 0, error: failure })
  expect(disk.isClosed).toBe(true)
})
