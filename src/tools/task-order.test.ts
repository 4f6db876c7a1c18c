import { expect, test } from 'vitest'
import { BashTool } from './bash/tool.js'
import { TaskOutputTool } from './task-output/tool.js'
import { TaskStopTool } from './task-stop/tool.js'
import { TASK_LIST } from './tasks/task-resources.js'

test('a call that reads a task waits for an earlier call that may start it', () => {
  const startResources = BashTool.resources({ command: 'sleep 1', run_in_background: true })
  const outputResources = TaskOutputTool.resources({ task_id: 'shell-1' })
  expect(startResources.writes).toContain(TASK_LIST)
  expect([outputResources.reads, TaskStopTool.resources({ task_id: 'shell-1' }).reads]).toEqual([
    expect.arrayContaining([TASK_LIST]),
    [TASK_LIST],
  ])
  expect(BashTool.resources({ command: 'ls' }).writes).not.toContainEqual(TASK_LIST)
})
