import { expect, test } from 'vitest'
import type { ToolEvent } from '../../../../contract/events.js'
import { findToolByName } from '../../../../contract/tool/identity.js'
import { builtInTools } from '../../../../tools/index.js'
import { CallProgress } from './call-progress.js'

function show(events: readonly ToolEvent[], options: { isVerbose?: boolean; columns?: number } = {}): string[] {
  const { isVerbose = false, columns = 40 } = options
  const lines: string[] = []
  const io = { columns, err: (text: string) => void lines.push(text.replace(/\n$/, '')) }
  const progress = new CallProgress(io, { isVerbose, findTool: (name) => findToolByName(builtInTools, name) })
  for (const event of events) progress.handleEvent(event)
  return lines
}

const times = { toolUseId: 'toolu_1', at: 0 }
const createQueuedEvent = (toolName: string, input: unknown): ToolEvent => ({
  type: 'call-queued',
  ...times,
  toolName,
  input,
})
const STARTED_EVENT: ToolEvent = { type: 'call-started', ...times }
const createEndedEvent = (content: string, fields: object = {}, isError = false): ToolEvent => ({
  ...{ type: 'call-ended', ...times, ...fields },
  result: { type: 'tool_result', tool_use_id: 'toolu_1', content, ...(isError && { is_error: true }) },
})

test('each call is one line, drawn by its tool and cut to the width of the terminal', () => {
  expect(show([createQueuedEvent('Read', { file_path: 'src/a.ts' }), STARTED_EVENT, createEndedEvent('1\tx')])).toEqual(
    ['Read src/a.ts'],
  )
  expect(show([createQueuedEvent('Bash', { command: 'ls' }), STARTED_EVENT], { columns: 0 })).toEqual(['Bash ls'])
  const [line = ''] = show([createQueuedEvent('Bash', { command: `echo ${'x'.repeat(80)}\nls` }), STARTED_EVENT])
  expect(line).toBe(`Bash echo ${'x'.repeat(29)}…`)
})

test('a failed call has a second line, and a denied one does not: it is listed at the end', () => {
  const call = [createQueuedEvent('Read', { file_path: 'a' }), STARTED_EVENT]
  expect(show([...call, createEndedEvent('No such file: a', { errorCode: 'tool_failed' }, true)])).toEqual([
    'Read a',
    '  No such file: a',
  ])
  const deniedEvent: ToolEvent = {
    type: 'permission-decided',
    ...times,
    behavior: 'deny',
    reason: { type: 'mode', text: 'x' } as never,
  }
  expect(show([...call, deniedEvent, createEndedEvent('Not allowed', {}, true)])).toEqual(['Read a'])
})

test('verbose also shows the result, drawn by its tool', () => {
  const patch = '@@ -1 +1 @@\n-a\n+b'
  const output = { filePath: '/w/a', isNew: false, strategy: 'verbatim', count: 1, patch, remarks: [] }
  const events = [createQueuedEvent('Edit', { file_path: 'a' }), STARTED_EVENT, createEndedEvent('Changed', { output })]
  expect(show(events, { isVerbose: true })).toEqual(['Edit a', '  1 - a', '  1 + b'])
})
