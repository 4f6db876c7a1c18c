import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textResult } from '../contract/messages.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import type { MessageResult } from './message-result.js'
import { ReplacementLedger } from './replacement-ledger.js'

let directory: string
let record: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-ledger-'))
  record = join(directory, 'replacements.jsonl')
})
afterEach(() => rm(directory, { recursive: true }))

function createWholeResult(id: string, text: string): MessageResult {
  return { block: textResult(id, text), maxResultSizeChars: 100 }
}

function createReplacedResult(id: string, text: string, replacement: string): MessageResult {
  return { ...createWholeResult(id, text), replacement }
}

test('a result that was never sent is not recorded', () => {
  expect(ReplacementLedger.createInMemory().findFrozen(createWholeResult('a', 'x'))).toBe(undefined)
})

test('a result stays as it was sent, even after a reload', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([createWholeResult('a', 'short'), createReplacedResult('b', 'long text', 'preview')])

  const reloadedLedger = await ReplacementLedger.load({ directory })

  for (const testedLedger of [ledger, reloadedLedger]) {
    expect(testedLedger.findFrozen({ ...createWholeResult('a', 'short'), maxResultSizeChars: 1 })).toEqual({
      ...createWholeResult('a', 'short'),
      maxResultSizeChars: 1,
      isSent: true,
    })
    expect(testedLedger.findFrozen(createWholeResult('b', 'long text'))).toEqual({
      ...createReplacedResult('b', 'long text', 'preview'),
      isSent: true,
    })
    expect(testedLedger.state).toEqual({ seenIds: new Set(['a', 'b']), replacements: new Map([['b', 'preview']]) })
  }
})

test('the first decision to send a result whole or as a preview is final', async () => {
  const ledger = ReplacementLedger.createInMemory()
  await ledger.freeze([createReplacedResult('a', 'long text', 'first')])

  const results = await ledger.freeze([createReplacedResult('a', 'long text', 'second')])

  expect(results).toEqual([{ ...createReplacedResult('a', 'long text', 'first'), isSent: true }])
})

test('of two recorded decisions about the same result, the first is used', async () => {
  const createLine = (replacement: string) => JSON.stringify({ id: 'a', chars: 9, digest: 'd', replacement })
  await writeFile(record, `${createLine('first')}\n${createLine('second')}\n`)

  expect([...(await ReplacementLedger.load({ directory })).state.replacements]).toEqual([['a', 'first']])
})

test('a decision about a result is recorded once', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([createWholeResult('a', 'x')])
  const { size } = await stat(record)

  await ledger.freeze([createWholeResult('a', 'x')])

  expect((await stat(record)).size).toBe(size)
})

test('a result in the history is recognised by the form in which it was sent', async () => {
  const ledger = ReplacementLedger.createInMemory()
  await ledger.freeze([createReplacedResult('a', 'long text', 'preview')])

  expect(ledger.findFrozen(createWholeResult('a', 'preview'))?.replacement).toBe('preview')
})

test('a result in the history with a reused id is recognised by the form in which it was sent', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([
    createReplacedResult('a', 'first text', 'first preview'),
    createReplacedResult('a', 'second text', 'second preview'),
  ])

  const reloadedLedger = await ReplacementLedger.load({ directory })

  for (const testedLedger of [ledger, reloadedLedger]) {
    expect(testedLedger.findFrozen(createWholeResult('a', 'second preview'))?.replacement).toBe('second preview')
    expect(testedLedger.findFrozen(createWholeResult('a', 'first preview'))?.replacement).toBe('first preview')
    expect(testedLedger.findFrozen(createWholeResult('a', 'third preview'))).toBe(undefined)
  }
})

test('a reused id never returns the text of another result', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([createReplacedResult('call_0', 'long text', 'preview')])

  expect(ledger.findFrozen(createWholeResult('call_0', 'LONG TEXT'))).toBe(undefined)
  await ledger.freeze([createReplacedResult('call_0', 'LONG TEXT', 'PREVIEW')])

  const reloadedLedger = await ReplacementLedger.load({ directory })
  expect(reloadedLedger.findFrozen(createWholeResult('call_0', 'long text'))?.replacement).toBe('preview')
  expect(reloadedLedger.findFrozen(createWholeResult('call_0', 'LONG TEXT'))?.replacement).toBe('PREVIEW')
})

test('a large result does not count as sent because a small one with the same id was sent', async () => {
  const ledger = ReplacementLedger.createInMemory()
  await ledger.freeze([createWholeResult('call_0', 'ok')])

  expect(ledger.findFrozen(createWholeResult('call_0', 'x'.repeat(1_000)))).toBe(undefined)
})

test('another result of the same size under a known id does not count as sent', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([createWholeResult('call_0', 'aaa')])

  for (const testedLedger of [ledger, await ReplacementLedger.load({ directory })]) {
    expect(testedLedger.findFrozen(createWholeResult('call_0', 'bbb'))).toBe(undefined)
    expect(testedLedger.findFrozen(createWholeResult('call_0', 'aaa'))?.isSent).toBe(true)
  }
})

test('only the user can read the file of recorded decisions', async () => {
  const ledger = await ReplacementLedger.load({ directory: join(directory, 'new') })
  await ledger.freeze([createWholeResult('a', 'x')])

  expect((await stat(join(directory, 'new'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(directory, 'new', 'replacements.jsonl'))).mode & 0o777).toBe(0o600)
})

test('after a crash at any byte, complete ledger lines are read, and lines written later are kept', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([
    createReplacedResult('a', 'long a', 'préview 😀 a'),
    createReplacedResult('b', 'long b', 'préview 😀 b'),
  ])
  const bytes = await readFile(record)
  const endOfFirstLine = bytes.indexOf('\n', 1)

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
      await writeFile(record, bytes.subarray(0, length))

      const afterCrash = await ReplacementLedger.load({ directory })
      const recoveredReplacements = [...afterCrash.state.replacements]
      await afterCrash.freeze([createReplacedResult('c', 'long c', 'preview c')])
      const afterReload = await ReplacementLedger.load({ directory })

      const expectedReplacements = [
        ...(length >= endOfFirstLine ? [['a', 'préview 😀 a']] : []),
        ...(length >= bytes.length - 1 ? [['b', 'préview 😀 b']] : []),
      ]
      expect(recoveredReplacements).toEqual(expectedReplacements)
      expect([...afterReload.state.replacements]).toEqual([...expectedReplacements, ['c', 'preview c']])
    }),
    createPropertyOptions(100),
  )
})

test('invalid lines of the ledger are skipped', async () => {
  const lines = [
    'null',
    '[]',
    '{"id":1,"chars":2}',
    '{"id":"a","chars":2,"replacement":"x"}',
    '{"id":"b","chars":2}',
    'rubbish',
  ]
  await writeFile(record, `${lines.join('\n')}\n{"id":"c","chars":2,"digest":"d"}\n`)

  expect((await ReplacementLedger.load({ directory })).state.seenIds).toEqual(new Set(['c']))
})

test('a sub-agent starts with the decisions of its parent, and then decides independently', async () => {
  const parent = await ReplacementLedger.load({ directory })
  await parent.freeze([createReplacedResult('a', 'long a', 'preview a')])

  const child = parent.fork('../agent')
  await child.freeze([createReplacedResult('b', 'long b', 'preview b')])
  await parent.freeze([createReplacedResult('c', 'long c', 'preview c')])

  expect([...child.state.seenIds]).toEqual(['a', 'b'])
  expect([...parent.state.seenIds]).toEqual(['a', 'c'])
  const reloadedLedger = await ReplacementLedger.load({ directory, agentId: '../agent' })
  expect(reloadedLedger.state).toEqual(child.state)
  expect((await ReplacementLedger.load({ directory })).state).toEqual(parent.state)
})

test('a fork of a ledger in memory stays in memory', async () => {
  const child = ReplacementLedger.createInMemory().fork('agent')
  await child.freeze([createWholeResult('a', 'x')])

  expect([...child.state.seenIds]).toEqual(['a'])
})

test('a disk failure while recording a decision is reported, and the write is retried', async () => {
  const problems: string[] = []
  const folder = join(directory, 'later')
  await writeFile(folder, 'a file where the folder should be')
  const ledger = await ReplacementLedger.load({ directory: folder, onProblem: (message) => problems.push(message) })

  await ledger.freeze([createReplacedResult('a', 'long a', 'preview a')])
  expect(ledger.findFrozen(createWholeResult('a', 'long a'))?.replacement).toBe('preview a')
  await rm(folder)
  await ledger.freeze([createWholeResult('b', 'b')])

  expect(problems).toEqual([
    expect.stringContaining('cannot be read (ENOTDIR'),
    expect.stringContaining('cannot be written (ENOTDIR'),
  ])
  expect((await ReplacementLedger.load({ directory: folder })).state).toEqual(ledger.state)
})

test('concurrent decisions are all recorded in the ledger', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  const ids = Array.from({ length: 50 }, (_, i) => `r${i}`)

  await Promise.all(ids.map((id) => ledger.freeze([createWholeResult(id, 'x')])))

  expect([...(await ReplacementLedger.load({ directory })).state.seenIds]).toEqual(ids)
})

test('a ledger with an incomplete line in the middle loses only that line', async () => {
  const ledger = await ReplacementLedger.load({ directory })
  await ledger.freeze([createReplacedResult('a', 'long a', 'preview a')])
  await truncate(record, (await stat(record)).size - 5)
  await appendFile(record, '\n{"id":"b","chars":1,"digest":"d"}\n')

  expect([...(await ReplacementLedger.load({ directory })).state.seenIds]).toEqual(['b'])
})
