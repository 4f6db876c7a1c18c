import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { SessionEvent } from '../../session/conversation/session-event.js'
import { textOfLine } from '../../views/styled-line.js'
import { Transcript } from './transcript.js'

function createTranscript(tool?: Tool) {
  const lines: string[] = []
  const transcript = new Transcript({
    commit: (committed) => lines.push(...committed.map(textOfLine)),
    findTool: () => tool,
    columns: () => 80,
    isScreenReader: false,
    now: () => 0,
  })
  return { transcript, lines, shown: () => lines.filter((line) => line.trim() !== '') }
}

const text = (delta: string): SessionEvent => ({ type: 'model-event', event: { type: 'text-delta', text: delta } })
const begin = (id: string): SessionEvent => ({ type: 'model-event', event: { type: 'call-begun', id, name: 'Tool' } })
const end = (toolUseId: string, output?: object): SessionEvent => ({
  type: 'tool-event',
  event: {
    ...{ type: 'call-ended', toolUseId, at: 0, ...(output !== undefined && { output }) },
    result: { type: 'tool_result', tool_use_id: toolUseId, content: `result of ${toolUseId}` },
  },
})

test('finished items are committed once, in the order of the conversation, whichever call ends first', () => {
  const { transcript, shown } = createTranscript()
  for (const event of [text('First.\n\n'), begin('a'), begin('b'), text('Last.\n\n'), end('b')])
    transcript.handle(event)

  expect(shown()).toEqual(['First.'])
  expect(transcript.renderLiveRows(50).map(textOfLine).join('\n')).toContain('○ Tool')

  transcript.handle(end('a'))
  transcript.endTurn()
  const order = ['First.', 'result of a', 'result of b', 'Last.'].map((part) =>
    shown().findIndex((line) => line.includes(part)),
  )
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(new Set(order).has(-1)).toBe(false)
  expect(transcript.renderLiveRows(50)).toEqual([])
})

test('a call without a result is shown as failed when the turn ends', () => {
  const { transcript, shown } = createTranscript()
  transcript.handle(begin('a'))
  transcript.endTurn()

  expect(shown().join('\n')).toContain('✗ Tool')
})

test('no line contains control characters of answers, prompts and notices', () => {
  const { transcript, lines } = createTranscript()
  transcript.handle(text('a\u001b[2Jb\u009bc\n\n'))
  transcript.addPrompt('x\u001b]0;title\u0007y')
  transcript.addNotice('warning', 'n\u001b[31m')
  transcript.endTurn()

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
  expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('if not all live rows fit, only the newest are drawn', () => {
  const { transcript } = createTranscript()
  for (let index = 0; index < 30; index++) transcript.handle(begin(`call-${index}`))

  expect(transcript.renderLiveRows(5)).toHaveLength(5)
})

test('the open line of a code block follows its finished lines without a gap', () => {
  const { transcript, lines } = createTranscript()
  transcript.addPrompt('Show it')
  transcript.handle(text('```js\nconst a = 1\nconst b'))

  expect(lines.slice(-2)).toEqual(['```js', 'const a = 1'])
  expect(transcript.renderLiveRows(50).map(textOfLine)).toEqual(['const b'])
})

test('messages that only the model needs are not shown', () => {
  const { transcript, lines } = createTranscript()
  const message = { type: 'system', content: 'The user interrupted you here.' } as const
  transcript.handle({ type: 'message-added', message, facts: {} })

  expect(lines).toEqual([])
})

test('committed calls are neither drawn again nor kept', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  let drawings = 0
  const tool = buildTool({
    name: 'Tool',
    description: 'A tool',
    prompt: 'A tool',
    inputSchema: lazySchema(() => z.looseObject({})),
    call: async () => ({ data: {} }),
    mapToolResultToToolResultBlockParam: (_output, id) => textResult(id, ''),
    renderToolResultMessage: () => {
      drawings++
      return 'result'
    },
  })
  const { transcript } = createTranscript(tool)
  const runCall = (id: string) => {
    const output = { text: `output of ${id}` }
    transcript.handle(begin(id))
    transcript.handle(end(id, output))
    return new WeakRef(output)
  }
  const outputs = Array.from({ length: 100 }, (_, index) => runCall(`call-${index}`))
  transcript.endTurn()
  const drawingsOfCommits = drawings
  for (let frame = 0; frame < 100; frame++) transcript.renderLiveRows(50)

  expect(drawings).toBe(drawingsOfCommits)
  // The targets of new weak references stay alive until the current job has ended.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(outputs.filter((output) => output.deref() !== undefined)).toEqual([])
})
