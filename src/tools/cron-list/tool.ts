import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block } from '../../contract/view-builders.js'
import {
  createScheduledTaskSchema,
  formatTask,
  renderTask,
  SCHEDULE,
  toShownTask,
} from '../schedules/scheduled-task.js'
import { prompt } from './prompt.js'

export const CronListTool = buildTool({
  name: 'CronList',
  searchHint: 'list scheduled cron tasks',
  needs: ['schedule'],
  shouldDefer: true,
  description: 'Lists the scheduled tasks',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({})),
  outputSchema: lazySchema(() => z.object({ tasks: z.array(createScheduledTaskSchema()) })),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  resources: () => ({ reads: [SCHEDULE] }),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call(_, { schedule }) {
    return { data: { tasks: (await schedule.list()).map(toShownTask) } }
  },

  mapToolResultToToolResultBlockParam: ({ tasks }, toolUseId) =>
    textResult(toolUseId, tasks.length === 0 ? 'There are no scheduled tasks.' : tasks.map(formatTask).join('\n')),

  getActivityDescription: () => 'Listing scheduled tasks',
  userFacingName: () => 'Schedules',
  renderToolUseMessage: () => '',
  renderToolResultMessage: ({ tasks }) => (tasks.length === 0 ? 'No scheduled tasks' : block(...tasks.map(renderTask))),
  extractSearchText: ({ tasks }) => tasks.map(({ id }) => id).join('\n'),
})
