import { expect, test } from 'vitest'
import type { AskPort } from '../../contract/ports/ask.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import { callTool } from '../../testing/call-tool.js'
import { fakeAsk } from '../../testing/fakes.js'
import { AskUserQuestionTool } from './tool.js'

const options = [
  { label: 'npm', description: 'comes with Node' },
  { label: 'pnpm', description: 'saves space' },
]
const input = { questions: [{ question: 'Which client?', header: 'Client', options }] }

test('the model receives the chosen and typed answers', async () => {
  const ask = fakeAsk((questions) =>
    questions.map(({ question }) => ({ question, chosen: ['pnpm'], other: 'version 10' })),
  )

  expect(await callTool(AskUserQuestionTool, input, { ask })).toBe('Which client? pnpm, version 10')
})

test('a call fails at once with advice if no user can answer', async () => {
  await expect(callTool(AskUserQuestionTool, input, { ask: fakeAsk() })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Decide yourself'),
  })
})

test('a call fails if the user declines to answer', async () => {
  await expect(callTool(AskUserQuestionTool, input, { ask: fakeAsk(() => undefined) })).rejects.toMatchObject({
    code: 'cancelled',
  })
})

test('duplicate labels and questions are refused', async () => {
  const ask = fakeAsk(() => [])
  const duplicateLabels = { questions: [{ ...input.questions[0], options: [options[0], options[0]] }] }
  const duplicateQuestions = { questions: [input.questions[0], input.questions[0]] }

  await expect(callTool(AskUserQuestionTool, duplicateLabels, { ask })).rejects.toThrow('Duplicate "npm"')
  await expect(callTool(AskUserQuestionTool, duplicateQuestions, { ask })).rejects.toThrow('Duplicate "Which client?"')
})

test.each([
  ['no question', { questions: [] }],
  ['five questions', { questions: Array(5).fill(input.questions[0]) }],
  ['one option', { questions: [{ ...input.questions[0], options: [options[0]] }] }],
  ['a long header', { questions: [{ ...input.questions[0], header: 'much too long a label' }] }],
])('an input with %s is refused', async (_, invalidInput) => {
  await expect(callTool(AskUserQuestionTool, invalidInput, { ask: fakeAsk(() => []) })).rejects.toMatchObject({
    code: 'input_invalid',
  })
})

test('a message of the user cancels the questions', async () => {
  let reportAsked = () => {}
  const questionAsked = new Promise<void>((resolve) => {
    reportAsked = resolve
  })
  const ask: AskPort = {
    ...fakeAsk(),
    canAsk: true,
    askQuestions(_, { signal } = {}) {
      reportAsked()
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined)))
    },
  }
  const runtime = createToolRuntime({ tools: [AskUserQuestionTool], ports: { ask } })
  const run = runtime.run([{ type: 'tool_use', id: 'ask-1', name: 'AskUserQuestion', input }])
  await questionAsked

  expect(run.interrupt('Never mind.')).toEqual({ mustWait: false })
  expect(await run.results).toMatchObject([{ is_error: true }])
  await runtime.dispose()
})
