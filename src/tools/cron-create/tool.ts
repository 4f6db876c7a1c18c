import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { MAX_SCHEDULED_PROMPT_CHARS } from '../../contract/ports/schedule.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { text } from '../../contract/view-builders.js'
import {
  createScheduledTaskSchema,
  formatTask,
  renderTask,
  SCHEDULE,
  toShownTask,
} from '../schedules/scheduled-task.js'
import { prompt } from './prompt.js'

const MAX_CRON_CHARS = 200

export const CronCreateTool = buildTool({
  name: 'CronCreate',
  searchHint: 'create scheduled cron task',
  needs: ['schedule'],
  shouldDefer: true,
  description: ({ cron }) => (typeof cron === 'string' ? `Schedules a prompt for ${cron}` : 'Schedules a prompt'),
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      cron: z.string().trim().min(1).max(MAX_CRON_CHARS).describe('Five fields, for example "30 8 * * 1-5"'),
      prompt: z.string().trim().min(1).max(MAX_SCHEDULED_PROMPT_CHARS).describe('The prompt that runs then'),
      recurring: z.boolean().optional().describe('False to run at the next matching time only; true if left out'),
      durable: z.boolean().optional().describe('True to keep the task after this session; false if left out'),
      timezone: z.string().min(1).max(100).optional().describe("IANA time zone; the user's zone if left out"),
      ifMissed: z
        .enum(['run_once', 'skip'])
        .optional()
        .describe('For missed times of a durable task; run_once if left out'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ task: createScheduledTaskSchema() })),

  resources: () => ({ writes: [SCHEDULE] }),
  // A task of this session can do nothing that the session could not do now. A durable one runs later, without a user, and
  // the task of a sub-agent would run in the main conversation, which may do more.
  checkPermissions: (input, { agentId }) =>
    input.durable === true || agentId !== undefined
      ? { behavior: 'passthrough' }
      : { behavior: 'allow', updatedInput: input },
  toAutoClassifierInput: ({ cron, prompt: scheduledPrompt }) => `${cron}: ${scheduledPrompt}`,

  async call({ recurring = true, durable = false, timezone, ifMissed, ...input }, { schedule }) {
    const task = await schedule.create({
      ...{ ...input, recurring, durable },
      ...(timezone !== undefined && { timezone }),
      ...(ifMissed !== undefined && { ifMissed }),
    })
    return { data: { task: toShownTask(task) } }
  },

  mapToolResultToToolResultBlockParam: ({ task }, toolUseId) =>
    textResult(toolUseId, `Scheduled task ${formatTask(task)}`),

  getActivityDescription: () => 'Scheduling a prompt',
  userFacingName: () => 'Schedule',
  getToolUseSummary: (input) => (typeof input?.cron === 'string' ? input.cron : null),
  renderToolUseMessage: ({ cron, prompt: scheduledPrompt, durable }) => [
    text(typeof cron === 'string' ? cron : '', 'accent'),
    typeof scheduledPrompt === 'string' ? ` ${scheduledPrompt}` : '',
    text(durable === true ? ' (kept after this session)' : '', 'muted'),
  ],
  renderToolResultMessage: ({ task }) => renderTask(task),
  extractSearchText: ({ task }) => task.cron,
})
