import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, text } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import {
  createActiveFormSchema,
  createBoardTaskSchema,
  createDescriptionSchema,
  createSubjectSchema,
  formatTask,
  getAgentName,
  renderTask,
  TASK_BOARD,
  toShownTask,
} from '../tasks/board-task.js'
import { prompt } from './prompt.js'

export const TaskCreateTool = buildTool({
  name: 'TaskCreate',
  searchHint: 'create new subtask',
  needs: ['taskBoard'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Adds a task to the task board',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      subject: createSubjectSchema().describe('The task in a few words, in the imperative'),
      description: createDescriptionSchema().describe('What is to be done, and when it counts as done'),
      activeForm: createActiveFormSchema()
        .optional()
        .describe('The ongoing action, shown while the task is in progress'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ task: createBoardTaskSchema() })),

  resources: () => ({ writes: [TASK_BOARD] }),
  // No approval is needed, because only Haft's own board changes.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ subject, description, activeForm }, context) {
    const newTask = { subject, description, ...(activeForm !== undefined && { activeForm }) }
    const task = await context.taskBoard.create(newTask, getAgentName(context))
    return { data: { task: toShownTask(task, [task]) } }
  },

  mapToolResultToToolResultBlockParam: ({ task }, toolUseId) => textResult(toolUseId, `Created ${formatTask(task)}`),

  getActivityDescription: () => 'Adding a task',
  userFacingName: () => 'New task',
  getToolUseSummary: (input) => (typeof input?.subject === 'string' ? input.subject : null),
  renderToolUseMessage: ({ subject }) => (typeof subject === 'string' ? subject : ''),
  renderToolResultMessage: ({ task }) => text(`#${task.id}`, 'muted'),
  renderGroupedToolUse: (uses) =>
    block(
      text(`Added ${formatCounted(uses.length, 'task')}`, { bold: true }),
      ...uses.flatMap(({ output }) => (output === undefined ? [] : [renderTask(output.task)])),
    ),
  extractSearchText: ({ task }) => `#${task.id}`,
})
