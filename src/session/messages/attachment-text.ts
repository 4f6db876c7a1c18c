import { loadedSkillText } from '../../contract/attachments.js'
import type { AttachmentMessage, UserMessage } from '../../contract/messages.js'
import { deferredToolsText } from '../../tool-search/announce/announce-deferred-tools.js'
import { keptStateText } from '../context/carry-over.js'
import { summaryText } from '../context/summary-request.js'
import { instructionsText } from '../instructions/instructions-text.js'
import { skillsText } from '../skills/announce-skills.js'
import { modeText } from './announce-mode.js'
import { EARLIER_WORDS } from './earlier-words.js'
import { HOOK_CONTEXT, hookContextText } from './hook-context.js'
import { reminder } from './reminder.js'
import { structuredOutputReminderText } from './structured-output-reminder.js'
import { TOOL_MESSAGE, toolMessageContent } from './tool-message.js'

type Rendered = UserMessage['content'] | undefined

/** What the model reads of each kind of attachment; undefined is nothing. A new kind is a line here. */
const TEXTS: Readonly<Record<string, (message: AttachmentMessage) => Rendered>> = {
  // The tools themselves are in the request: the record is for the next one who looks for them.
  discovered_tools: () => undefined,
  deferred_tools: deferredToolsText,
  [HOOK_CONTEXT]: ({ data }) => reminded(hookContextText(data)),
  [TOOL_MESSAGE]: ({ data }) => toolMessageContent(data),
  // The summary tells the model of them: the record is for the classifier.
  [EARLIER_WORDS]: () => undefined,
  instructions: ({ data }) => reminded(instructionsText(data)),
  summary: ({ data }) => summaryText(data),
  kept_state: ({ data }) => reminded(keptStateText(data)),
  mode: modeText,
  skills: skillsText,
  // Its instructions are in the result of the call, as long as that is there.
  loaded_skill: (message) => reminded(loadedSkillText(message)),
  // The model gave it itself: the record is for the host.
  structured_output: () => undefined,
  structured_output_reminder: structuredOutputReminderText,
}

/** What the model reads of an attachment. */
export function attachmentText(message: AttachmentMessage): Rendered {
  const render = Object.hasOwn(TEXTS, message.kind) ? TEXTS[message.kind] : undefined
  return render === undefined ? unknownText(message) : render(message)
}

/** A kind that nobody knows here may come from a tool of the host: a text is shown, anything else is for programs. */
function unknownText({ data }: AttachmentMessage): Rendered {
  if (typeof data === 'string') return reminded(data)
  const text = (data as { readonly text?: unknown } | null | undefined)?.text
  return typeof text === 'string' ? reminded(text) : undefined
}

function reminded(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : reminder(text)
}
