import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textResult } from '../contract/messages.js'
import { OpenMessage } from './message-preparer.js'
import type { MessageResult } from './message-result.js'
import { ReplacementLedger } from './replacement-ledger.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-open-'))
})
afterEach(() => rm(directory, { recursive: true }))

function createResult(id: string, chars: number): MessageResult {
  return { block: textResult(id, 'x'.repeat(chars)), maxResultSizeChars: 190_000 }
}

function openMessage(): OpenMessage {
  return new OpenMessage({ directory, ledger: ReplacementLedger.createInMemory() })
}

test('results that were already sent count towards the budget, so a small result that exceeds it is replaced', async () => {
  const message = openMessage()

  const blocks = [
    await message.send([createResult('a', 150_000)]),
    await message.send([createResult('b', 50_000)]),
    await message.send([createResult('c', 4_000)]),
  ].flat()

  expect(blocks.slice(0, 2)).toEqual([createResult('a', 150_000).block, createResult('b', 50_000).block])
  expect(blocks[2]?.content).toContain('c.txt')
})

test('of results that are sent together and exceed the budget, the largest is replaced by a preview', async () => {
  const message = openMessage()
  await message.send([createResult('a', 150_000)])

  const blocks = await message.send([createResult('b', 20_000), createResult('c', 40_000)])

  expect(blocks[0]).toEqual(createResult('b', 20_000).block)
  expect(blocks[1]?.content).toContain('c.txt')
})

test('a preview counts towards the budget by its own length, not by that of the result', async () => {
  const message = openMessage()
  await message.send([createResult('a', 190_001)])

  const [block] = await message.send([createResult('b', 190_000)])

  expect(block).toEqual(createResult('b', 190_000).block)
})

test('results added while earlier ones are still being sent are counted towards the budget in order', async () => {
  const message = openMessage()

  const blocks = await Promise.all([
    message.send([createResult('a', 150_000)]),
    message.send([createResult('b', 60_000)]),
  ])

  expect(blocks[0]).toEqual([createResult('a', 150_000).block])
  expect(blocks[1][0]?.content).toContain('b.txt')
})

test('each open message has its own budget', async () => {
  const ledger = ReplacementLedger.createInMemory()

  const first = await new OpenMessage({ directory, ledger }).send([createResult('a', 150_000)])
  const second = await new OpenMessage({ directory, ledger }).send([createResult('b', 150_000)])

  expect([...first, ...second]).toEqual([createResult('a', 150_000).block, createResult('b', 150_000).block])
})
