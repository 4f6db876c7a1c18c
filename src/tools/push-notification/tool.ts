import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import type { NotificationChannel } from '../../contract/ports/notify.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, text } from '../../contract/view-builders.js'
import { prompt } from './prompt.js'

const MAX_TITLE_CHARS = 100
const MAX_MESSAGE_CHARS = 1_000
const TIME_LIMIT_MS = 60_000

const CHANNEL_NAMES: Readonly<Record<NotificationChannel, string>> = {
  terminal: 'the terminal',
  desktop: 'the desktop',
  webhook: 'the webhook',
}

export const PushNotificationTool = buildTool({
  name: 'PushNotification',
  searchHint: 'notify the user outside the terminal',
  needs: ['notify'],
  shouldDefer: true,
  description: 'Notifies the user',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      title: z.string().trim().min(1).max(MAX_TITLE_CHARS).describe('What happened, in a few words'),
      message: z.string().trim().min(1).max(MAX_MESSAGE_CHARS).describe('What the user needs to know or decide'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      deliveries: z.array(
        z.object({ channel: z.enum(['terminal', 'desktop', 'webhook']), problem: z.string().optional() }),
      ),
    }),
  ),

  isOpenWorld: () => true,
  interruptBehavior: () => 'cancel',
  timeoutMs: () => TIME_LIMIT_MS,
  // Notifications arrive in the order of the calls.
  resources: () => ({ writes: [{ thing: 'user:notifications' }] }),
  // No approval is needed, because a notification only goes where the user's settings send it.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ title, message }, { notify, signal }) {
    const deliveries = await notify.push({ title, body: message }, { signal })
    if (deliveries.every(({ problem }) => problem !== undefined)) {
      const problems = deliveries.map(({ channel, problem }) => `${CHANNEL_NAMES[channel]}: ${problem}`)
      throw new ToolCallError('tool_failed', `The notification did not arrive (${problems.join('; ')}).`)
    }
    return { data: { deliveries: deliveries.map((delivery) => ({ ...delivery })) } }
  },

  mapToolResultToToolResultBlockParam({ deliveries }, toolUseId) {
    const successfulDeliveries = deliveries.filter(({ problem }) => problem === undefined)
    const lines = [
      `Notified the user: ${successfulDeliveries.map(({ channel }) => CHANNEL_NAMES[channel]).join(', ')}.`,
      ...deliveries.flatMap(({ channel, problem }) =>
        problem === undefined ? [] : [`It did not reach ${CHANNEL_NAMES[channel]}: ${problem}.`],
      ),
    ]
    return textResult(toolUseId, lines.join('\n'))
  },

  getActivityDescription: () => 'Notifying you',
  userFacingName: () => 'Notification',
  getToolUseSummary: (input) => (typeof input?.title === 'string' ? input.title : null),
  renderToolUseMessage({ title, message }) {
    if (typeof title !== 'string') return ''
    return typeof message === 'string' ? block(text(title, { bold: true }), message) : title
  },
  renderToolResultMessage: ({ deliveries }) =>
    deliveries
      .map(({ channel, problem }) => `${CHANNEL_NAMES[channel]}: ${problem === undefined ? 'sent' : problem}`)
      .join(' · '),
})
