import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { ALL_MEMBERS, MAX_TEAM_MESSAGE_CHARS, type MemberStatus } from '../../contract/ports/teams.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, collapsible, markdown, text } from '../../contract/view-builders.js'
import { cutText } from '../../shared/cut-text.js'
import { TEAM } from '../tasks/shown-team.js'
import { prompt } from './prompt.js'

const MAX_SUMMARY_CHARS = 200

export const SendMessageTool = buildTool({
  name: 'SendMessage',
  searchHint: 'send message to team member',
  needs: ['teams'],
  shouldDefer: true,
  messagesTeammates: true,
  modes: { delegating: true },
  description: 'Sends a message to a teammate',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      to: z.string().min(1).describe(`The name of a member of the team, or "${ALL_MEMBERS}" for all others`),
      message: z.string().min(1).max(MAX_TEAM_MESSAGE_CHARS).describe('The text of the message'),
      summary: z.string().max(MAX_SUMMARY_CHARS).optional().describe('The message in a few words, for the user'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      id: z.string(),
      message: z.string(),
      recipients: z.array(
        z.object({
          name: z.string(),
          status: z.enum(['working', 'idle', 'away']),
          unreceivedIds: z.array(z.string()),
        }),
      ),
    }),
  ),

  // Writes only Haft's own mailboxes: what a member does with a message needs the permissions of that member.
  isReadOnly: () => true,
  // Messages of one sender arrive in the order of the calls.
  resources: () => ({ writes: [TEAM] }),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ to, message, summary }, { teams, agentId }) {
    const id = `msg_${randomBytes(6).toString('hex')}`
    const newMessage = { id, to: to.trim(), text: message, ...(summary !== undefined && { summary }) }
    const { recipients } = await teams.send(newMessage, agentId)
    const shownRecipients = recipients.map(({ unreceivedIds, ...recipient }) => ({
      ...recipient,
      unreceivedIds: [...unreceivedIds],
    }))
    return { data: { id, message, recipients: shownRecipients } }
  },

  mapToolResultToToolResultBlockParam: ({ id, recipients }, toolUseId) =>
    textResult(toolUseId, [`Sent as ${id}.`, ...recipients.map(describeRecipient)].join('\n')),

  getActivityDescription: (input) => (typeof input?.to === 'string' ? `Writing to ${input.to}` : 'Writing a message'),
  userFacingName: () => 'Message',
  getToolUseSummary: (input) => (typeof input?.summary === 'string' ? input.summary : null),
  renderToolUseMessage: ({ to, summary, message }) => {
    const words = typeof summary === 'string' ? summary : cutText(typeof message === 'string' ? message : '', 80)
    return typeof to === 'string' ? `to ${to}: ${words}` : ''
  },
  renderToolResultMessage: ({ message, recipients }) =>
    block(
      collapsible(`Sent to ${recipients.map(({ name }) => name).join(', ')}`, markdown(message)),
      ...recipients.flatMap(({ name, status }) =>
        status === 'away' ? [text(`${name} is away: the message waits`, 'warning')] : [],
      ),
    ),
  isResultTruncated: ({ message }) => message.trim() !== '',
  extractSearchText: ({ message }) => message,
})

const STATUS_TEXTS: Readonly<Record<MemberStatus, string>> = {
  working: 'is working and gets it between its steps',
  idle: 'was idle and continues with it',
  away: 'is away: its process has ended, and the message waits until its session starts it again',
}

interface Recipient {
  readonly name: string
  readonly status: MemberStatus
  readonly unreceivedIds: readonly string[]
}

function describeRecipient({ name, status, unreceivedIds }: Recipient): string {
  const earlier = unreceivedIds.length === 0 ? '' : ` Not received yet: ${unreceivedIds.join(', ')}.`
  return `${name} ${STATUS_TEXTS[status]}.${earlier}`
}
