import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block } from '../../contract/view-builders.js'
import {
  countDone,
  createBoardTaskSchema,
  formatTask,
  listReadyTasks,
  renderTask,
  TASK_BOARD,
  toShownTask,
} from '../tasks/board-task.js'
import { prompt } from './prompt.js'

export const TaskListTool = buildTool({
  name: 'TaskList',
  searchHint: 'list all subtasks',
  needs: ['taskBoard'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Lists the tasks of the task board',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({})),
  outputSchema: lazySchema(() => z.object({ tasks: z.array(createBoardTaskSchema()) })),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  resources: () => ({ reads: [TASK_BOARD] }),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call(_, { taskBoard }) {
    const tasks = await taskBoard.list()
    return { data: { tasks: tasks.map((task) => toShownTask(task, tasks)) } }
  },

  mapToolResultToToolResultBlockParam({ tasks }, toolUseId) {
    if (tasks.length === 0) return textResult(toolUseId, 'The task board is empty. Add tasks with TaskCreate.')
    const readyIds = listReadyTasks(tasks).map(({ id }) => `#${id}`)
    const readyLine = readyIds.length === 0 ? 'No task is free to start.' : `Free to start: ${readyIds.join(', ')}.`
    return textResult(toolUseId, [`${countDone(tasks)}. ${readyLine}`, ...tasks.map(formatTask)].join('\n'))
  },

  getActivityDescription: () => 'Listing the tasks',
  userFacingName: () => 'Task board',
  renderToolUseMessage: () => '',
  renderToolResultMessage: ({ tasks }) =>
    tasks.length === 0 ? 'No tasks' : block(countDone(tasks), ...tasks.map(renderTask)),
  extractSearchText: ({ tasks }) => tasks.map(({ subject }) => subject).join('\n'),
})
