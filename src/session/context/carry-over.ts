import { createLoadedSkill, extractLoadedSkills, type LoadedSkill } from '../../contract/attachments.js'
import type { AttachmentMessage, Message, UserMessage } from '../../contract/messages.js'
import type { AppState } from '../../contract/ports/state.js'
import { cutText } from '../../shared/cut-text.js'
import { keepDiscoveredTools } from '../../tool-search/request/carry-messages.js'
import { createEarlierPrompts, createKeptStateAttachment, createSummaryAttachment } from '../messages/attachments.js'
import { userRequestOf } from '../messages/user-request-of.js'

/** The keys of the state that the model still needs after a compaction. */
const LASTING_STATE_KEYS = ['todo:list', 'plan', 'skills'] as const
const MAX_PROMPT_CHARS = 20_000
/** The maximum length of the instructions of all skills together. */
const MAX_SKILL_CHARS = 40_000

/** Returns the messages that replace a conversation: the summary, loaded skills, state and the prompts of the user. */
export function carryOver(earlierMessages: readonly Message[], summary: string, state: AppState): readonly Message[] {
  const prompt = earlierMessages.findLast(isPrompt)
  const skills = selectSkillsToKeep(earlierMessages)
  return keepDiscoveredTools(earlierMessages, [
    createSummaryAttachment(summary),
    ...skills.map(createLoadedSkill),
    ...selectStateToKeep(skills, state),
    ...collectPromptsBefore(earlierMessages, prompt),
    ...(prompt === undefined ? [] : [shorten(prompt)]),
  ])
}

function collectPromptsBefore(
  earlierMessages: readonly Message[],
  prompt: UserMessage | undefined,
): readonly AttachmentMessage[] {
  const prompts = userRequestOf({ messages: earlierMessages.filter((message) => message !== prompt) })
  return prompts === '' ? [] : [createEarlierPrompts(prompts)]
}

/** Whether a message is a prompt. Results of calls are user messages too, but not prompts. */
function isPrompt(message: Message): message is UserMessage {
  if (message.type !== 'user') return false
  return typeof message.content === 'string' || message.content.every(({ type }) => type !== 'tool_result')
}

function shorten(prompt: UserMessage): UserMessage {
  if (typeof prompt.content !== 'string' || prompt.content.length <= MAX_PROMPT_CHARS) return prompt
  return { ...prompt, content: `${cutText(prompt.content, MAX_PROMPT_CHARS)}\n[truncated]` }
}

/**
 * Selects the skills whose instructions are kept, beginning with the most recently loaded. Skills whose instructions do not fit
 * are only named.
 */
function selectSkillsToKeep(earlierMessages: readonly Message[]): readonly LoadedSkill[] {
  let charsLeft = MAX_SKILL_CHARS
  const newestFirst = extractLoadedSkills(earlierMessages)
    .toReversed()
    .map(({ name, folder, instructions = '' }): LoadedSkill => {
      if (instructions === '' || instructions.length > charsLeft) return { name, folder }
      charsLeft -= instructions.length
      return { name, folder, instructions, isSentToModel: true }
    })
  return newestFirst.toReversed()
}

function selectStateToKeep(skills: readonly LoadedSkill[], state: AppState): readonly AttachmentMessage[] {
  const droppedNames = skills.flatMap(({ name, instructions }) => (instructions === undefined ? [name] : []))
  const fullState: AppState = { ...state, skills: droppedNames.join(', ') }
  const values = LASTING_STATE_KEYS.flatMap((key) => (isEmpty(fullState[key]) ? [] : [[key, fullState[key]] as const]))
  return values.length === 0 ? [] : [createKeptStateAttachment(values)]
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
