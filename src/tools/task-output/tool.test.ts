import { expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { fakeTasks } from '../../testing/fakes.js'
import { TaskOutputTool } from './tool.js'

test('the result has the output of the task without colours, and its status', async () => {
  const tasks = fakeTasks({ a: '\u001b[31mred\u001b[0m\n' }, { status: 'failed', exitCode: 3 })

  expect(await callTool(TaskOutputTool, { task_id: 'a' }, { tasks })).toBe('red\n\nTask status: failed, exit code 3.')
})

test('the result says if there is no new output', async () => {
  const text = await callTool(TaskOutputTool, { task_id: 'a' }, { tasks: fakeTasks({ a: '' }) })
  expect(text).toBe('No new output.\n\nTask status: running.')
})

test('a call waits for the requested time, up to the maximum', async () => {
  const tasks = fakeTasks({ a: '' })
  await callTool(TaskOutputTool, { task_id: 'a' }, { tasks })
  await callTool(TaskOutputTool, { task_id: 'a', timeout: 5 }, { tasks })
  await callTool(TaskOutputTool, { task_id: 'a', timeout: 10 ** 9 }, { tasks })
  await callTool(TaskOutputTool, { task_id: 'a', block: false, timeout: 5 }, { tasks })

  expect(tasks.waits).toEqual([30_000, 5, 600_000, 0])
})

test('an unknown task is refused, and the error lists the known tasks', async () => {
  const tasks = fakeTasks({ one: '', two: '' })
  const call = callTool(TaskOutputTool, { task_id: 'three' }, { tasks })
  await expect(call).rejects.toThrow(
    'Unknown task "three". Known tasks: one (running: runs one), two (running: runs two).',
  )
  await expect(callTool(TaskOutputTool, { task_id: 'x' }, { tasks: fakeTasks({}) })).rejects.toThrow(
    'There are no background tasks.',
  )
})
