import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { MAX_SCHEDULED_PROMPT_CHARS } from '../../contract/ports/schedule.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { text } from '../../contract/view-builders.js'
import { SCHEDULE } from '../schedules/scheduled-task.js'
import { prompt } from './prompt.js'

const TIME_LIMIT_MS = 30_000

export const RemoteTriggerTool = buildTool({
  name: 'RemoteTrigger',
  searchHint: 'schedule remote agent trigger',
  needs: ['schedule'],
  shouldDefer: true,
  description: ({ worker }) =>
    typeof worker === 'string' ? `Starts a run on ${worker}` : 'Starts a run in the background',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      prompt: z.string().trim().min(1).max(MAX_SCHEDULED_PROMPT_CHARS).describe('The whole task of the run'),
      worker: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('The name of a configured worker; this machine if left out'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ message: z.string() })),

  isOpenWorld: ({ worker }) => worker !== undefined,
  timeoutMs: () => TIME_LIMIT_MS,
  resources: () => ({ writes: [SCHEDULE] }),
  // The run works without a user, possibly on another machine.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  preparePermissionMatcher:
    ({ worker = 'local' }) =>
    (content) =>
      content === worker,
  toAutoClassifierInput: ({ worker = 'this machine', prompt: task }) => `${worker}: ${task}`,

  async call({ prompt: task, worker }, { schedule, signal, toolUseId }) {
    // Ids of calls may be the same in another session.
    const run = { prompt: task, key: `${toolUseId} ${randomUUID()}`, ...(worker !== undefined && { worker }) }
    return { data: { message: await schedule.trigger(run, { signal }) } }
  },

  mapToolResultToToolResultBlockParam: ({ message }, toolUseId) => textResult(toolUseId, message),

  getActivityDescription: () => 'Starting a run',
  userFacingName: () => 'Remote run',
  getToolUseSummary: (input) => (typeof input?.worker === 'string' ? input.worker : null),
  renderToolUseMessage: ({ prompt: task, worker }) => [
    text(typeof worker === 'string' ? `${worker} ` : '', 'accent'),
    typeof task === 'string' ? task : '',
  ],
  renderToolResultMessage: ({ message }) => message,
  extractSearchText: ({ message }) => message,
})
