import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ReplacementLedger } from '../results/replacement-ledger.js'
import { ResultStore } from './result-store.js'

const LONG_TEXT = 'x'.repeat(2_000)
const outcome = { block: { type: 'tool_result', tool_use_id: 'a', content: LONG_TEXT } } as const

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-store-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(directory, { recursive: true, force: true })
})

test.each([
  ['a result store', (store: ResultStore) => store],
  ['a fork of a result store', (store: ResultStore) => store.fork('sub')],
])('%s whose ledger fails to load loads it again on the next use', async (_, storeOf) => {
  vi.spyOn(ReplacementLedger, 'load').mockRejectedValueOnce(new Error('too many open files'))
  const store = storeOf(ResultStore.openInFolder(directory))

  const failure = await store.settle([outcome]).catch((error: Error) => error.message)
  const blocks = await store.settle([outcome])

  expect(failure).toBe('too many open files')
  expect(blocks).toEqual([outcome.block])
})

test('a failed load that no caller awaits causes no unhandled rejection', async () => {
  vi.spyOn(ReplacementLedger, 'load').mockRejectedValueOnce(new Error('too many open files'))
  const onUnhandled = vi.fn()
  process.once('unhandledRejection', onUnhandled)

  ResultStore.openInFolder(directory).fork('sub')
  await new Promise((resolve) => setImmediate(resolve))

  process.off('unhandledRejection', onUnhandled)
  expect(onUnhandled).not.toHaveBeenCalled()
})
