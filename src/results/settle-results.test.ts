import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textResult } from '../contract/messages.js'
import { settleResults } from './message-preparer.js'
import type { MessageResult } from './message-result.js'
import { ReplacementLedger } from './replacement-ledger.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-settle-'))
})
afterEach(() => rm(directory, { recursive: true }))

function createResult(id: string, chars: number, maxResultSizeChars: number): MessageResult {
  return { block: textResult(id, 'x'.repeat(chars)), maxResultSizeChars }
}

test('a result sent whole is not written to a file if the limit shrinks later', async () => {
  const ledger = ReplacementLedger.createInMemory()
  await settleResults([createResult('a', 5_000, 10_000)], { directory, ledger })

  const settledResults = await settleResults([createResult('a', 5_000, 100)], { directory, ledger })

  expect(settledResults).toEqual([{ ...createResult('a', 5_000, 100), isSent: true }])
  expect(await readdir(directory)).toEqual([])
})

test('a preview made before its message was complete is sent unchanged', async () => {
  const earlyPreview: MessageResult = { ...createResult('a', 5_000, 100), replacement: 'preview' }

  const settledResults = await settleResults([earlyPreview], { directory, ledger: ReplacementLedger.createInMemory() })

  expect(settledResults).toEqual([{ ...earlyPreview, isSent: true }])
  expect(await readdir(directory)).toEqual([])
})

test('results that were already sent count towards the budget of their message', async () => {
  const ledger = ReplacementLedger.createInMemory()
  const first = createResult('a', 150_000, 400_000)
  await settleResults([first], { directory, ledger })

  const settledResults = await settleResults([first, createResult('b', 60_000, 400_000)], { directory, ledger })

  expect(settledResults.map(({ replacement }) => replacement !== undefined)).toEqual([false, true])
})
