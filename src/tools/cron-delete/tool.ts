import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { quote } from '../../shared/quote.js'
import { createScheduledTaskSchema, renderTask, SCHEDULE, toShownTask } from '../schedules/scheduled-task.js'
import { prompt } from './prompt.js'

/** Tasks of the session have the prefix; durable ones may belong to other sessions or to the user. */
const SESSION_TASK = /^s\d+$/

export const CronDeleteTool = buildTool({
  name: 'CronDelete',
  searchHint: 'delete scheduled cron task',
  needs: ['schedule'],
  shouldDefer: true,
  description: 'Deletes a scheduled task',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({ id: z.string().min(1).max(20).describe('The id of the task') })),
  outputSchema: lazySchema(() => z.object({ task: createScheduledTaskSchema() })),

  isDestructive: ({ id }) => !SESSION_TASK.test(id),
  resources: () => ({ writes: [SCHEDULE] }),
  checkPermissions: (input) =>
    SESSION_TASK.test(input.id) ? { behavior: 'allow', updatedInput: input } : { behavior: 'passthrough' },
  toAutoClassifierInput: ({ id }) => id,

  async call({ id }, { schedule }) {
    const task = await schedule.delete(id)
    if (task !== undefined) return { data: { task: toShownTask(task) } }
    const ids = (await schedule.list()).map((other) => other.id)
    const known = ids.length === 0 ? 'There are none.' : `Scheduled tasks: ${ids.join(', ')}.`
    throw new ToolCallError('tool_failed', `There is no scheduled task ${quote(id)}. ${known}`)
  },

  mapToolResultToToolResultBlockParam: ({ task }, toolUseId) =>
    textResult(toolUseId, `Deleted scheduled task ${task.id}.`),

  getActivityDescription: () => 'Deleting a scheduled task',
  userFacingName: () => 'Delete schedule',
  getToolUseSummary: (input) => (typeof input?.id === 'string' ? input.id : null),
  renderToolUseMessage: ({ id }) => (typeof id === 'string' ? id : ''),
  renderToolResultMessage: ({ task }) => renderTask(task),
  extractSearchText: ({ task }) => task.id,
})
