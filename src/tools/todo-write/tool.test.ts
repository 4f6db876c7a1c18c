import { expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { fakeState } from '../../testing/fakes.js'
import { TodoWriteTool } from './tool.js'

const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}ing` })

test('a call replaces the list and reports the number of open items', async () => {
  const state = fakeState()

  const text = await callTool(
    TodoWriteTool,
    { todos: [todo('Test', 'completed'), todo('Build', 'in_progress')] },
    { state },
  )

  expect(text).toContain('1 of 2 items are open')
  expect(state.getAppState()).toEqual({ 'todo:list': [todo('Test', 'completed'), todo('Build', 'in_progress')] })
})

test('a completed list is cleared', async () => {
  const state = fakeState({ 'todo:list': [todo('Test', 'in_progress')] })

  expect(await callTool(TodoWriteTool, { todos: [todo('Test', 'completed')] }, { state })).toContain('cleared')
  expect(state.getAppState()).toEqual({ 'todo:list': [] })
})

test('a sub-agent has its own list', async () => {
  const state = fakeState({ 'todo:list': [todo('Mine', 'pending')], other: 1 })

  await callTool(TodoWriteTool, { todos: [todo('Its', 'pending')] }, { state, agentId: 'a1' })

  expect(state.getAppState()).toEqual({
    'todo:list': [todo('Mine', 'pending')],
    'todo:list:a1': [todo('Its', 'pending')],
    other: 1,
  })
})

test('two items in progress are refused, and the list stays unchanged', async () => {
  const state = fakeState({ 'todo:list': [] })
  const todos = [todo('One', 'in_progress'), todo('Two', 'in_progress')]

  await expect(callTool(TodoWriteTool, { todos }, { state })).rejects.toThrow('keep at most one')
  expect(state.getAppState()).toEqual({ 'todo:list': [] })
})

test.each([
  [{ todos: 'all' }],
  [{ todos: [{ content: 'x' }] }],
  [{ todos: [todo('', 'pending')] }],
  [{ todos: [], extra: 1 }],
  [null],
])('invalid input is refused: %j', async (input) => {
  await expect(callTool(TodoWriteTool, input, { state: fakeState() })).rejects.toMatchObject({ code: 'input_invalid' })
})

test('a list that is too long to be read is refused', async () => {
  const todos = Array.from({ length: 1_001 }, (_, index) => todo(`Item ${index}`, 'pending'))

  await expect(callTool(TodoWriteTool, { todos }, { state: fakeState() })).rejects.toThrow('at most 1000 items')
})
