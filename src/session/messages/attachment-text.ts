import { loadedSkillText } from '../../contract/attachments.js'
import type { AttachmentMessage, UserMessage } from '../../contract/messages.js'
import { deferredToolsText } from '../../tool-search/announce/announce-deferred-tools.js'
import { instructionsText } from '../instructions/instructions-text.js'
import { skillsText } from '../skills/announce-skills.js'
import { modeText } from './announce-mode.js'
import {
  EARLIER_PROMPTS,
  HOOK_CONTEXT,
  hookContextText,
  KEPT_STATE,
  keptStateText,
  reminder,
  SUMMARY,
  summaryText,
  TOOL_MESSAGE,
  toolMessageContent,
} from './attachments.js'
import { structuredOutputReminderText } from './structured-output-reminder.js'

type RenderedContent = UserMessage['content'] | undefined

/** Renders each kind of attachment for the model. Undefined means that the model does not see it. */
const RENDERERS: Readonly<Record<string, (message: AttachmentMessage) => RenderedContent>> = {
  // The request contains the tools themselves. The record is for resuming the session.
  discovered_tools: () => undefined,
  deferred_tools: deferredToolsText,
  [HOOK_CONTEXT]: ({ data }) => toReminder(hookContextText(data)),
  [TOOL_MESSAGE]: ({ data }) => toolMessageContent(data),
  // Only for the classifier of auto mode: the model has the summary instead.
  [EARLIER_PROMPTS]: () => undefined,
  instructions: ({ data }) => toReminder(instructionsText(data)),
  [SUMMARY]: ({ data }) => summaryText(data),
  [KEPT_STATE]: ({ data }) => toReminder(keptStateText(data)),
  mode: modeText,
  skills: skillsText,
  // Its instructions are in the result of the call, unless that was compacted.
  loaded_skill: (message) => toReminder(loadedSkillText(message)),
  // The model wrote it itself. The record is for the host.
  structured_output: () => undefined,
  structured_output_reminder: structuredOutputReminderText,
}

/** Returns the text or blocks of an attachment for the model. */
export function attachmentText(message: AttachmentMessage): RenderedContent {
  const render = Object.hasOwn(RENDERERS, message.kind) ? RENDERERS[message.kind] : undefined
  return render === undefined ? unknownText(message) : render(message)
}

/** An unknown kind may come from a tool of the host. Its text is shown; other data is not for the model. */
function unknownText({ data }: AttachmentMessage): RenderedContent {
  if (typeof data === 'string') return toReminder(data)
  const text = (data as { readonly text?: unknown } | null | undefined)?.text
  return typeof text === 'string' ? toReminder(text) : undefined
}

function toReminder(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : reminder(text)
}
