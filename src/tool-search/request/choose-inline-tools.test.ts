import { expect, test } from 'vitest'
import type { ToolDefinition } from '../../contract/messages.js'
import { chooseInlineTools, MAX_INLINE_TOKENS } from './choose-inline-tools.js'

const createDefinition = (name: string, words: number): ToolDefinition => ({
  name,
  description: 'word '.repeat(words),
  input_schema: {},
})
const pool = [
  { name: 'Read' },
  { name: 'Stop', isOftenNeeded: true },
  { name: 'Cron' },
  { name: 'mcp__a__b', isMcp: true },
]
const isDeferred = (name: string) => name !== 'Read'
const choose = (words: number, serverWords = 10) => [
  ...chooseInlineTools(
    pool,
    pool.map(({ name }) => createDefinition(name, name.startsWith('mcp__') ? serverWords : words)),
    isDeferred,
  ),
]

test('with the portable carrier, built-in tools are sent while everything that could be deferred is small', () => {
  expect(choose(100)).toEqual(['Stop', 'Cron'])
})

test('beyond that, or with large servers, only those that are needed often are sent', () => {
  expect(choose(1_000)).toEqual(['Stop'])
  expect(choose(100, MAX_INLINE_TOKENS * 2)).toEqual(['Stop'])
})

test('tools that are needed often are deferred, too, if they are large', () => {
  expect(choose(MAX_INLINE_TOKENS * 2)).toEqual([])
})
