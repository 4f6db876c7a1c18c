import { type BigIntStats, fstatSync } from 'node:fs'
import { isSameFile } from './same-file.js'

/** To compare less than this is as quick as to find out that it is not needed. */
const LARGE_BYTES = 1024 ** 2
/** Two changes within a tick of the file system's clock leave the same time; no clock ticks as slowly as this. */
const SETTLED_NS = 2_000_000_000n

/** In which state of its file large content was read, where any later change of the file shows in its times. */
const states = new WeakMap<Uint8Array, BigIntStats>()

/** Reads, and remembers the state of the file if it had been left alone for a while and was during the reading. */
export async function readSettled(descriptor: number, read: () => Promise<Buffer>): Promise<Buffer> {
  const before = fstatSync(descriptor, { bigint: true })
  const startNs = BigInt(Date.now()) * 1_000_000n
  const content = await read()
  if (content.length < LARGE_BYTES || startNs - before.ctimeNs < SETTLED_NS) return content
  if (isSameFile(before, fstatSync(descriptor, { bigint: true }))) states.set(content, before)
  return content
}

/** Whether a file surely holds content that was read from it, told without reading it again. */
export function isStill(content: Uint8Array, now: BigIntStats): boolean {
  const state = states.get(content)
  return state !== undefined && isSameFile(state, now)
}
