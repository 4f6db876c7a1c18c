import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, collapsible, list } from '../../contract/view-builders.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'
import {
  createBoardTaskSchema,
  createTaskIdSchema,
  formatTask,
  renderTask,
  TASK_BOARD,
  toShownTask,
} from '../tasks/board-task.js'
import { prompt } from './prompt.js'

export const TaskGetTool = buildTool({
  name: 'TaskGet',
  searchHint: 'get subtask details',
  needs: ['taskBoard'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Shows a task of the task board',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({ taskId: createTaskIdSchema().describe('The number of the task') })),
  outputSchema: lazySchema(() =>
    z.object({
      task: createBoardTaskSchema(),
      blocks: z.array(z.string()),
      /** The latest changes, oldest first, one line each. */
      history: z.array(z.string()),
    }),
  ),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  resources: () => ({ reads: [TASK_BOARD] }),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ taskId }, { taskBoard }) {
    const tasks = await taskBoard.list()
    const task = tasks.find(({ id }) => id === taskId) ?? (await taskBoard.get(taskId))
    if (task === undefined)
      throw new ToolCallError(
        'tool_failed',
        `There is no task "${taskId}" on the board. Use TaskList to see the tasks.`,
      )
    return {
      data: {
        task: toShownTask(task, tasks),
        blocks: tasks.filter(({ blockedBy }) => blockedBy.includes(taskId)).map(({ id }) => id),
        history: task.history.map(({ at, by, text }) => `${new Date(at).toISOString()} ${by}: ${text}`),
      },
    }
  },

  mapToolResultToToolResultBlockParam({ task, blocks, history }, toolUseId) {
    const parts = [
      formatTask(task),
      ...(blocks.length === 0 ? [] : [`Blocks ${blocks.map((id) => `#${id}`).join(', ')}.`]),
      ...(task.description === '' ? [] : ['', task.description]),
      ...['', 'History:', ...history],
    ]
    return textResult(toolUseId, withoutReminderTags(parts.join('\n')))
  },

  getActivityDescription: () => 'Reading a task',
  userFacingName: () => 'Task',
  getToolUseSummary: (input) => (typeof input?.taskId === 'string' ? `#${input.taskId}` : null),
  renderToolUseMessage: ({ taskId }) => (typeof taskId === 'string' ? `#${taskId}` : ''),
  renderToolResultMessage: ({ task, history }) =>
    collapsible(block(renderTask(task)), block(task.description, list(history))),
  isResultTruncated: () => true,
  extractSearchText: ({ task }) => task.subject,
})
