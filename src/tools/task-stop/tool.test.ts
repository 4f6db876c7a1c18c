import { expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { fakeTasks } from '../../testing/fakes.js'
import { TaskStopTool } from './tool.js'

test('a call stops the task', async () => {
  const tasks = fakeTasks({ a: '' })

  expect(await callTool(TaskStopTool, { task_id: 'a' }, { tasks })).toBe('Task a (runs a) was stopped.')
  expect(tasks.list()).toMatchObject([{ id: 'a', status: 'stopped' }])
})

test('an unknown task is refused, and the error lists the known tasks', async () => {
  const call = callTool(TaskStopTool, { task_id: 'b' }, { tasks: fakeTasks({ a: '' }) })
  await expect(call).rejects.toThrow('Unknown task "b". Known tasks: a (running: runs a).')
})
