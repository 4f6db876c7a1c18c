import { renderLoadedSkill } from '../../contract/attachments.js'
import type { AttachmentMessage, UserMessage } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'
import { formatDeferredTools } from '../../tool-search/announce/announce-deferred-tools.js'
import { formatInstructions, formatUntrustedInstructions, UNTRUSTED_NOTE } from '../instructions/instructions-text.js'
import { formatSkillsNotice } from '../skills/announce-skills.js'
import { formatModeNotice } from './announce-mode.js'
import {
  EARLIER_PROMPTS,
  HOOK_CONTEXT,
  KEPT_STATE,
  readToolMessageContent,
  renderHookContext,
  renderKeptState,
  renderScheduledPrompt,
  renderSummary,
  renderTaskEvent,
  SCHEDULED_PROMPT,
  SNIP_ATTACHMENT,
  SUMMARY_ATTACHMENT,
  TASK_EVENT,
  TOOL_MESSAGE,
  wrapInReminder,
} from './attachments.js'
import { formatServerInstructions } from './server-instructions.js'
import { formatStructuredOutputReminder } from './structured-output-reminder.js'
import { renderTeamMessage, TEAM_MESSAGE } from './team-messages.js'

type RenderedContent = UserMessage['content'] | undefined

/** Renders each kind of attachment for the model. Undefined means that the model does not see it. */
const RENDERERS: Readonly<Record<string, (message: AttachmentMessage) => RenderedContent>> = {
  // The request contains the tools themselves. The record is for resuming the session.
  discovered_tools: () => undefined,
  deferred_tools: formatDeferredTools,
  [HOOK_CONTEXT]: ({ data }) => toReminder(renderHookContext(data)),
  [TOOL_MESSAGE]: ({ data }) => readToolMessageContent(data),
  // Only for the classifier of auto mode: the model has the summary instead.
  [EARLIER_PROMPTS]: () => undefined,
  instructions: ({ data }) => renderInstructions(data),
  [SUMMARY_ATTACHMENT]: ({ data }) => renderSummary(data),
  [KEPT_STATE]: ({ data }) => toReminder(renderKeptState(data)),
  mode: formatModeNotice,
  [SCHEDULED_PROMPT]: ({ data }) => renderScheduledPrompt(data),
  [SNIP_ATTACHMENT]: ({ data }) => toReminder(isRecord(data) && typeof data.text === 'string' ? data.text : undefined),
  [TASK_EVENT]: ({ data }) => renderTaskEvent(data),
  [TEAM_MESSAGE]: renderTeamMessage,
  server_instructions: formatServerInstructions,
  skills: formatSkillsNotice,
  // The instructions of a skill are in the result of the call that loaded it, unless that was compacted.
  loaded_skill: (message) => toReminder(renderLoadedSkill(message)),
  // The model wrote this output itself. The record is for the host.
  structured_output: () => undefined,
  structured_output_reminder: formatStructuredOutputReminder,
}

/** Returns the text or blocks of an attachment for the model. */
export function renderAttachment(message: AttachmentMessage): RenderedContent {
  const render = Object.hasOwn(RENDERERS, message.kind) ? RENDERERS[message.kind] : undefined
  return render === undefined ? renderUnknownKind(message) : render(message)
}

/**
 * Renders an attachment of an unknown kind, which may come from a tool of the host. Only text is shown; other data is not for
 * the model.
 */
function renderUnknownKind({ data }: AttachmentMessage): RenderedContent {
  if (typeof data === 'string') return toReminder(data)
  const text = (data as { readonly text?: unknown } | null | undefined)?.text
  return typeof text === 'string' ? toReminder(text) : undefined
}

/**
 * Renders instruction files. Those of an untrusted project are outside the reminder, because the model treats text inside it as
 * text of Haft.
 */
function renderInstructions(data: unknown): string | undefined {
  const untrustedText = formatUntrustedInstructions(data)
  const parts = [
    toReminder(formatInstructions(data)),
    ...(untrustedText === undefined ? [] : [wrapInReminder(UNTRUSTED_NOTE), withoutReminderTags(untrustedText)]),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

function toReminder(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : wrapInReminder(text)
}
