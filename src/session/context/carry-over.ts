import { extractLoadedSkills, type LoadedSkill, loadedSkill } from '../../contract/attachments.js'
import type { AttachmentMessage, Message, UserMessage } from '../../contract/messages.js'
import type { AppState } from '../../contract/ports/state.js'
import { isRecord } from '../../shared/is-record.js'
import { keepDiscoveredTools } from '../../tool-search/request/carry-messages.js'
import { earlierWords } from '../messages/earlier-words.js'
import { userRequestOf } from '../messages/user-request-of.js'
import { summaryAttachment } from './summary-request.js'

const KIND = 'kept_state'
/** Values of the conversation's state that the model works by. */
const LASTING_STATE = ['todo:list', 'plan', 'skills'] as const
const MAX_PROMPT_CHARS = 20_000
/** Of all skills together. */
const MAX_SKILL_CHARS = 40_000

/** The messages that a compacted conversation goes on with. */
export function carryOver(before: readonly Message[], summary: string, state: AppState): readonly Message[] {
  const prompt = before.findLast(isPrompt)
  const skills = keptSkills(before)
  return keepDiscoveredTools(before, [
    summaryAttachment(summary),
    ...skills.map(loadedSkill),
    ...keptState(skills, state),
    ...wordsBefore(before, prompt),
    ...(prompt === undefined ? [] : [shortened(prompt)]),
  ])
}

function wordsBefore(before: readonly Message[], prompt: UserMessage | undefined): readonly AttachmentMessage[] {
  const words = userRequestOf({ messages: before.filter((message) => message !== prompt) })
  return words === '' ? [] : [earlierWords(words)]
}

/** Whether the user said it: results and what Haft adds are no requests. */
function isPrompt(message: Message): message is UserMessage {
  if (message.type !== 'user') return false
  return typeof message.content === 'string' || message.content.every(({ type }) => type !== 'tool_result')
}

function shortened(prompt: UserMessage): UserMessage {
  if (typeof prompt.content !== 'string' || prompt.content.length <= MAX_PROMPT_CHARS) return prompt
  return { ...prompt, content: `${prompt.content.slice(0, MAX_PROMPT_CHARS)}\n[cut: it was longer]` }
}

/** With their instructions, the last loaded first, as long as there is room. */
function keptSkills(before: readonly Message[]): readonly LoadedSkill[] {
  let room = MAX_SKILL_CHARS
  const kept = extractLoadedSkills(before)
    .toReversed()
    .map(({ name, folder, instructions = '' }): LoadedSkill => {
      if (instructions === '' || instructions.length > room) return { name, folder }
      room -= instructions.length
      return { name, folder, instructions, isRetold: true }
    })
  return kept.toReversed()
}

function keptState(skills: readonly LoadedSkill[], state: AppState): readonly AttachmentMessage[] {
  const forgotten = skills.flatMap(({ name, instructions }) => (instructions === undefined ? [name] : []))
  const known: AppState = { ...state, skills: forgotten.join(', ') }
  const values = LASTING_STATE.flatMap((key) => (isEmpty(known[key]) ? [] : [[key, known[key]] as const]))
  return values.length === 0 ? [] : [{ type: 'attachment', kind: KIND, data: { values } }]
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** What the model reads of it. */
export function keptStateText(data: unknown): string | undefined {
  if (!isRecord(data) || !Array.isArray(data.values)) return undefined
  const lines = data.values.filter(Array.isArray).map(([key, value]) => `${NAMES[key] ?? key}: ${shown(value)}`)
  return lines.length === 0 ? undefined : ['What you had noted before:', ...lines].join('\n')
}

const NAMES: Readonly<Record<string, string>> = {
  'todo:list': 'The todo list',
  plan: 'The plan',
  skills: 'Skills that were loaded, to be loaded again if you still need what they say',
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
