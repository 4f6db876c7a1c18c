import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message } from './messages.js'

const STRUCTURED_OUTPUT = 'structured_output'

/** Creates the message that records a structured answer. */
export function createStructuredOutput(value: unknown): AttachmentMessage {
  return { type: 'attachment', kind: STRUCTURED_OUTPUT, data: { value } }
}

/** Returns the last structured answer. Pass only the messages since the prompt, or an older answer may be found. */
export function readStructuredOutput(messages: readonly Message[]): { readonly value: unknown } | undefined {
  for (const message of messages.toReversed()) {
    if (message.type !== 'attachment' || message.kind !== STRUCTURED_OUTPUT) continue
    if (isRecord(message.data) && 'value' in message.data) return { value: message.data.value }
  }
  return undefined
}

/** The kind of message that records which permission mode the model knows about. */
export const MODE_ATTACHMENT = 'mode'

/** Creates the record of a mode that the result of a call has already told the model about. */
export function createToldMode(mode: string): AttachmentMessage {
  return { type: 'attachment', kind: MODE_ATTACHMENT, data: { mode, isTold: true } }
}

const LOADED_SKILL = 'loaded_skill'

/** A skill that the conversation has loaded. */
export interface LoadedSkill {
  readonly name: string
  readonly folder: string
  /** Its instructions; left out if they are too long to keep. */
  readonly instructions?: string
  /**
   * Whether the model reads the instructions from this record, because the result with them is no longer in the conversation.
   */
  readonly isSentToModel?: boolean
}

/** Creates the message that records a loaded skill, so that it survives a resume or a compaction. */
export function createLoadedSkill(skill: LoadedSkill): AttachmentMessage {
  return { type: 'attachment', kind: LOADED_SKILL, data: skill }
}

/** Returns the text that the model reads for the record of a loaded skill, or undefined if it reads none. */
export function renderLoadedSkill(message: Message): string | undefined {
  const skill = readLoadedSkill(message)
  if (skill?.instructions === undefined || skill.isSentToModel !== true) return undefined
  return `The skill ${skill.name}, which you loaded before. Its folder is ${skill.folder}.\n\n${skill.instructions}`
}

/** Returns the skills that a conversation has loaded, without duplicates, in the order in which each was first loaded. */
export function extractLoadedSkills(messages: readonly Message[]): readonly LoadedSkill[] {
  const skills = new Map<string, LoadedSkill>()
  for (const message of messages) {
    const skill = readLoadedSkill(message)
    if (skill !== undefined) skills.set(skill.name, skill)
  }
  return [...skills.values()]
}

/** Returns the skill that a message records. Malformed records are skipped, because transcripts may be old or edited. */
function readLoadedSkill(message: Message): LoadedSkill | undefined {
  if (message.type !== 'attachment' || message.kind !== LOADED_SKILL || !isRecord(message.data)) return undefined
  const { name, folder, instructions, isSentToModel, isRetold } = message.data
  if (typeof name !== 'string' || typeof folder !== 'string') return undefined
  return {
    ...{ name, folder },
    ...(typeof instructions === 'string' && { instructions }),
    // `isRetold` is the name of this field in older transcripts.
    ...((isSentToModel === true || isRetold === true) && { isSentToModel: true }),
  }
}
