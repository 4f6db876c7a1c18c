import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import { builtInTools } from '../tools/index.js'
import { type CallState, describeCall, describeGroup, searchTextOf } from './call-view.js'

const EveryView = buildTool({
  name: 'EveryView',
  description: 'Has every display member',
  inputSchema: z.object({ a: z.string() }),
  call: async ({ a }) => ({ data: a }),
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),
  isTransparentWrapper: () => false,
  requiresUserInteraction: () => false,
  userFacingName: () => 'every view',
  userFacingNameBackgroundColor: () => 'warning' as const,
  getToolUseSummary: () => 'summary',
  getActivityDescription: () => 'activity',
  toAutoClassifierInput: () => 'input',
  renderToolUseMessage: () => 'use',
  renderToolResultMessage: () => 'result',
  renderToolUseProgressMessage: () => 'progress',
  renderToolUseQueuedMessage: () => 'queued',
  renderToolUseRejectedMessage: () => 'rejected',
  renderToolUseErrorMessage: () => 'error',
  renderToolUseTag: () => 'tag',
  renderGroupedToolUse: () => 'group',
  isResultTruncated: () => false,
  extractSearchText: () => 'search',
})

/** Display members that are read outside of the views, with the folder that reads them. */
const OTHER_READERS: Readonly<Record<string, string>> = { toAutoClassifierInput: 'permissions' }

test('every display member of the contract is used', () => {
  const readMembers = new Set<string>()
  const observedTool = new Proxy(EveryView, {
    get(tool, member, receiver) {
      readMembers.add(String(member))
      return Reflect.get(tool, member, receiver)
    },
  }) as unknown as Tool
  const states: readonly CallState[] = ['queued', 'waiting-for-permission', 'running', 'done', 'rejected', 'failed']
  for (const state of states) {
    const call = { toolName: 'EveryView', tool: observedTool, input: { a: 'x' }, state, resultText: 'text' }
    describeCall(call, { verbose: false })
    if (state === 'done') describeCall({ ...call, output: 'x' }, { verbose: false })
    describeGroup([call, call], { verbose: false })
    searchTextOf({ ...call, output: 'x' })
  }
  for (const member of displayMembersOfContract()) {
    if (OTHER_READERS[member] === undefined) expect(readMembers, member).toContain(member)
    else expect(isReadIn(OTHER_READERS[member], member), member).toBe(true)
  }
})

/** The members of `ToolViews`, and those that only decide how a call is shown. */
function displayMembersOfContract(): string[] {
  const source = readFileSync('src/contract/tool/views.ts', 'utf8')
  const body = source.slice(
    source.indexOf('export interface ToolViews'),
    source.indexOf('export interface GroupedToolUse'),
  )
  const members = [...body.matchAll(/^ {2}(\w+)\??\(/gm)].map(([, name = '']) => name)
  expect(members.length).toBeGreaterThan(14)
  expect(Object.keys(EveryView)).toEqual(expect.arrayContaining(members))
  return [...members, 'isSearchOrReadCommand', 'isTransparentWrapper', 'requiresUserInteraction', 'isDestructive']
}

function isReadIn(folder: string, member: string): boolean {
  const files = readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .some((file) => readFileSync(join('src', folder, file), 'utf8').includes(`.${member}`))
}

test('each state of a call has its view', () => {
  const bodyIn = (state: CallState, output?: unknown) =>
    describeCall(
      { toolName: 'EveryView', tool: EveryView as unknown as Tool, input: {}, state, output, resultText: 'why' },
      { verbose: false },
    ).body
  expect(bodyIn('queued')).toBe('queued')
  expect(bodyIn('waiting-for-permission')).toBe('rejected')
  expect(bodyIn('running')).toBe('progress')
  expect(bodyIn('done', 'x')).toBe('result')
  expect(bodyIn('failed')).toBe('error')
  // A failed command has an output, which is more useful than the error.
  expect(bodyIn('failed', 'x')).toBe('result')
})

test('a view that throws or is invalid is replaced by the default', () => {
  const tool = buildTool({
    ...{ name: 'Broken', description: 'd', inputSchema: z.object({ a: z.string() }), call: async () => ({ data: 1 }) },
    renderToolUseMessage: () => {
      throw new Error('partial input')
    },
    renderToolResultMessage: () => ({ $$typeof: 'element' }) as never,
    getToolUseSummary: () => 'x'.repeat(200),
  }) as unknown as Tool
  const { body, summary } = describeCall(
    { toolName: 'Broken', tool, input: {}, output: 1, resultText: 'text', state: 'done' },
    { verbose: false },
  )
  expect(body).toBe('text')
  expect(summary).toHaveLength(50)
})

test('every built-in tool has a title, even for a call without input', () => {
  const titledTools = builtInTools.filter((tool) =>
    JSON.stringify(
      describeCall({ toolName: tool.name, tool, input: {}, state: 'running' }, { verbose: false }).title,
    ).includes('"text"'),
  )
  expect(titledTools).toHaveLength(builtInTools.length)
})
