import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { text } from '../../contract/view-builders.js'
import {
  createActiveFormSchema,
  createBoardTaskSchema,
  createDescriptionSchema,
  createSubjectSchema,
  createTaskIdSchema,
  formatTask,
  getAgentName,
  listReadyTasks,
  renderTask,
  TASK_BOARD,
  toShownTask,
} from '../tasks/board-task.js'
import { prompt } from './prompt.js'

const MAX_ADDED = 100

export const TaskUpdateTool = buildTool({
  name: 'TaskUpdate',
  searchHint: 'update subtask status',
  needs: ['taskBoard'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Changes a task of the task board',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      taskId: createTaskIdSchema().describe('The number of the task'),
      status: z
        .enum(['pending', 'in_progress', 'completed', 'deleted'])
        .optional()
        .describe('The new status; "deleted" removes the task'),
      subject: createSubjectSchema().optional().describe('The new subject'),
      description: createDescriptionSchema().optional().describe('The new description'),
      activeForm: createActiveFormSchema()
        .optional()
        .describe('The ongoing action, shown while the task is in progress'),
      owner: z.string().trim().max(100).optional().describe('The agent that takes the task; empty to release it'),
      addBlocks: z
        .array(createTaskIdSchema())
        .max(MAX_ADDED)
        .optional()
        .describe('Tasks that can start only after this one'),
      addBlockedBy: z
        .array(createTaskIdSchema())
        .max(MAX_ADDED)
        .optional()
        .describe('Tasks that must be completed before this one'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      task: createBoardTaskSchema(),
      /** Tasks that are pending, have no owner and wait for nothing, after the change. */
      ready: z.array(z.string()),
      openCount: z.number(),
    }),
  ),

  resources: () => ({ writes: [TASK_BOARD] }),
  validateInput({ taskId: _, ...update }) {
    if (Object.values(update).some((value) => value !== undefined)) return { result: true }
    return { result: false, errorCode: 1, message: 'Nothing to change. Give a status, an owner or another field.' }
  },
  // No approval is needed, because only Haft's own board changes.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ taskId, ...fields }, context) {
    const update = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    const task = await context.taskBoard.update(taskId, update, getAgentName(context))
    const tasks = await context.taskBoard.list()
    const shownTasks = tasks.map((other) => toShownTask(other, tasks))
    return {
      data: {
        task: toShownTask(task, tasks),
        ready: listReadyTasks(shownTasks).map(({ id }) => id),
        openCount: shownTasks.filter(({ status }) => status !== 'completed').length,
      },
    }
  },

  mapToolResultToToolResultBlockParam({ task, ready: readyIds, openCount }, toolUseId) {
    const lines = [`Updated ${formatTask(task)}`]
    if (task.status === 'completed') lines.push(describeNext(readyIds, openCount))
    return textResult(toolUseId, lines.join('\n'))
  },

  getActivityDescription: () => 'Updating a task',
  userFacingName: () => 'Task',
  getToolUseSummary: (input) => (typeof input?.taskId === 'string' ? `#${input.taskId}` : null),
  renderToolUseMessage({ taskId, status }) {
    if (typeof taskId !== 'string') return ''
    return [`#${taskId}`, typeof status === 'string' ? text(` ${status.replace('_', ' ')}`, 'muted') : '']
  },
  renderToolResultMessage: ({ task }) => renderTask(task),
  extractSearchText: ({ task }) => task.subject,
})

function describeNext(ready: readonly string[], openCount: number): string {
  if (openCount === 0) return 'All tasks are completed.'
  if (ready.length === 0) return 'No other task is free to start.'
  return `Free to start: ${ready.map((id) => `#${id}`).join(', ')}.`
}
