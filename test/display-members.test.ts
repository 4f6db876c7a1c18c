import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { PermissionQuestion } from '../src/calls/call-environment.js'
import { prepareQuestion } from '../src/cli/commands/interactive/permission-questions.js'
import type { ToolEvent } from '../src/contract/events.js'
import type { ToolResultBlock } from '../src/contract/messages.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { findQuestionFacts } from '../src/contract/tool/question-facts.js'
import type { Tool } from '../src/contract/tool/tool.js'
import { showResult } from '../src/session/transcript/storage/shown-result.js'
import { Transcript } from '../src/terminal/blocks/transcript.js'
import { createTranscriptBlocks } from '../src/terminal/blocks/transcript-blocks.js'

/**
 * Two values for each member that decides how a call is displayed, and the members that must be absent, because they are
 * shown instead. The two values must look different somewhere on the screen.
 */
interface MemberCase {
  readonly values: readonly [unknown, unknown]
  readonly without?: readonly string[]
}

const returning = (value: unknown) => () => value
const texts: MemberCase = { values: [returning('one text'), returning('another text')] }

const CASES: Readonly<Record<string, MemberCase>> = {
  userFacingName: texts,
  userFacingNameBackgroundColor: { values: [returning('warning'), returning('error')] },
  getToolUseSummary: { ...texts, without: ['renderToolUseMessage'] },
  getActivityDescription: texts,
  renderToolUseMessage: texts,
  renderToolResultMessage: texts,
  renderToolUseProgressMessage: texts,
  renderToolUseQueuedMessage: texts,
  renderToolUseRejectedMessage: texts,
  renderToolUseErrorMessage: texts,
  renderToolUseTag: texts,
  renderGroupedToolUse: { ...texts, without: ['isSearchOrReadCommand'] },
  isResultTruncated: { values: [returning(false), returning(true)] },
  extractSearchText: texts,
  isSearchOrReadCommand: {
    values: [returning({ isSearch: true, isRead: false }), returning({ isSearch: false, isRead: true })],
    without: ['renderGroupedToolUse'],
  },
  isTransparentWrapper: { values: [returning(false), returning(true)] },
  isDestructive: { values: [returning(false), returning(true)] },
  requiresUserInteraction: { values: [returning(false), returning(true)] },
  description: { ...texts, without: ['renderToolUseRejectedMessage'] },
}

const MEMBERS = {
  name: 'Every',
  description: () => 'Has every display member',
  inputSchema: z.object({ a: z.string() }),
  call: async () => ({ data: 'output' }),
  userFacingName: () => 'every view',
  renderToolUseMessage: () => 'use',
  renderToolResultMessage: () => 'result',
  renderToolUseRejectedMessage: () => 'rejected',
  isResultTruncated: () => true,
}

function createTool(member: string, value: unknown, without: readonly string[]): Tool {
  const members = Object.entries({ ...MEMBERS, [member]: value }).filter(([name]) => !without.includes(name))
  return buildTool(Object.fromEntries(members) as never) as unknown as Tool
}

test.each(Object.entries(CASES))('%s changes what the terminal shows', async (member, { values, without = [] }) => {
  const [first, second] = await Promise.all(values.map((value) => showEverywhere(createTool(member, value, without))))

  expect(first).not.toEqual(second)
})

test('every display member of the contract has a case', () => {
  const source = readFileSync('src/contract/tool/views.ts', 'utf8')
  const [, body = ''] = /export interface ToolViews<[^{]*\{(.*?)\n\}/s.exec(source) ?? []
  const members = Array.from(body.matchAll(/^ {2}(\w+)\??\(/gm), ([, name]) => name)

  expect(members.length).toBeGreaterThan(14)
  // Auto mode reads it, see src/permissions/decide/decide-auto.test.ts.
  expect(members.filter((name) => name !== 'toAutoClassifierInput' && !(String(name) in CASES))).toEqual([])
})

const INPUT = { a: 'x' }
const at = { at: 0 }

/** Everything that a user can see of calls of the tool, in each of their states. */
async function showEverywhere(tool: Tool): Promise<readonly unknown[]> {
  return [
    ...showLive(tool),
    showFinished(tool, [{}, {}]),
    showFinished(tool, [{ is_error: true }]),
    showFinished(tool, [{ is_error: true }], { isDenied: true }),
    showTranscript(tool),
    await showQuestion(tool),
  ]
}

/** The running call with its activity, after each event. */
function showLive(tool: Tool): readonly unknown[] {
  const transcript = openTranscript(tool, [])
  const shown: unknown[] = []
  const events: readonly ToolEvent[] = [
    { type: 'call-queued', toolUseId: 'a', toolName: 'Every', input: INPUT, ...at },
    { type: 'permission-asked', toolUseId: 'a', message: 'why', suggestions: [], ...at },
    { type: 'call-started', toolUseId: 'a', ...at },
    { type: 'call-progressed', toolUseId: 'a', progress: 'progress', ...at },
  ]
  transcript.handle({ type: 'model-event', event: { type: 'call-begun', id: 'a', name: 'Every' } })
  for (const event of events) {
    transcript.handle({ type: 'tool-event', event })
    shown.push(transcript.renderLiveRows(50), transcript.activity)
  }
  return shown
}

/** The lines of finished calls, which may be grouped. */
function showFinished(tool: Tool, results: readonly Partial<ToolResultBlock>[], { isDenied = false } = {}): unknown {
  const lines: unknown[] = []
  const transcript = openTranscript(tool, lines)
  for (const [index, result] of results.entries()) {
    const toolUseId = String(index)
    transcript.handle({ type: 'model-event', event: { type: 'call-begun', id: toolUseId, name: 'Every' } })
    transcript.handle({
      type: 'tool-event',
      event: { type: 'call-queued', toolUseId, toolName: 'Every', input: INPUT, ...at },
    })
    const reason = { type: 'rule', text: 'a rule' } as never
    if (isDenied)
      transcript.handle({
        type: 'tool-event',
        event: { type: 'permission-decided', toolUseId, behavior: 'deny', reason, ...at },
      })
    transcript.handle({
      type: 'tool-event',
      event: {
        ...{ type: 'call-ended', toolUseId, ...at, result: { ...createResult(toolUseId), ...result } },
        ...(result.is_error !== true && { output: 'output' }),
      },
    })
  }
  transcript.endTurn()
  return lines
}

/** The transcript view, with what its search finds. */
function showTranscript(tool: Tool): unknown {
  const blocks = createTranscriptBlocks(
    [
      { type: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Every', input: INPUT }] },
      { type: 'user', content: [createResult('a')] },
    ] as never,
    { findTool: () => tool, findShown: () => showResult(tool, 'output'), cwd: '/project' },
  )
  return blocks.map((block) => [block.render(80, false), block.render(80, true), block.searchText])
}

async function showQuestion(tool: Tool): Promise<unknown> {
  const options = { isNonInteractiveSession: false, toolPermissionContext: {} as never, tools: [tool] }
  const question = {
    ...(await findQuestionFacts({ tool, input: INPUT }, options)),
    ...{ toolUseId: 'a', tool, input: INPUT, message: 'needs approval', suggestions: [] },
    ...{ reason: { type: 'default', text: 'no rule' }, signal: new AbortController().signal, countWaiting: () => 0 },
  } as unknown as PermissionQuestion
  const settings = { projectRoot: '/project', isTrusted: true, permissionContext: {} } as never
  const { request } = await prepareQuestion(question, { cwd: '/project', homeDir: '/home' } as never, settings)
  return [request.title, request.preview, request.reasons]
}

function createResult(toolUseId: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: 'text of the result' }
}

function openTranscript(tool: Tool, lines: unknown[]): Transcript {
  return new Transcript({
    commit: (committed) => lines.push(...committed),
    findTool: () => tool,
    columns: () => 80,
    isScreenReader: false,
    now: () => 0,
  })
}
