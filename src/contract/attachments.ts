import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message } from './messages.js'

const STRUCTURED_OUTPUT = 'structured_output'

/** The record in the message stream of an answer that fits the caller's schema. */
export function structuredOutput(value: unknown): AttachmentMessage {
  return { type: 'attachment', kind: STRUCTURED_OUTPUT, data: { value } }
}

/** The last such answer, for the host that asked for it; to be given the messages since the prompt, or it finds an older one. */
export function readStructuredOutput(messages: readonly Message[]): { readonly value: unknown } | undefined {
  for (const message of messages.toReversed()) {
    if (message.type !== 'attachment' || message.kind !== STRUCTURED_OUTPUT) continue
    if (isRecord(message.data) && 'value' in message.data) return { value: message.data.value }
  }
  return undefined
}

const LOADED_SKILL = 'loaded_skill'

export interface LoadedSkill {
  readonly name: string
  readonly folder: string
  /** What it says; left out where that would be too long to keep. */
  readonly instructions?: string
  /** The result that said it is gone, so that the record has to. */
  readonly isRetold?: boolean
}

/** The record in the message stream that a skill was loaded: for what has to be known of it after a resume or a compaction. */
export function loadedSkill(skill: LoadedSkill): AttachmentMessage {
  return { type: 'attachment', kind: LOADED_SKILL, data: skill }
}

/** What the model reads of the record. */
export function loadedSkillText(message: Message): string | undefined {
  const skill = readRecord(message)
  if (skill?.instructions === undefined || skill.isRetold !== true) return undefined
  return `The skill ${skill.name}, which you loaded before. Its folder is ${skill.folder}.\n\n${skill.instructions}`
}

/** The skills that a conversation has loaded, each once, in the order of their first loading. */
export function extractLoadedSkills(messages: readonly Message[]): readonly LoadedSkill[] {
  const skills = new Map<string, LoadedSkill>()
  for (const message of messages) {
    const skill = readRecord(message)
    if (skill !== undefined) skills.set(skill.name, skill)
  }
  return [...skills.values()]
}

/** A transcript may be of any age and from anywhere: what is no record is none. */
function readRecord(message: Message): LoadedSkill | undefined {
  if (message.type !== 'attachment' || message.kind !== LOADED_SKILL || !isRecord(message.data)) return undefined
  const { name, folder, instructions, isRetold } = message.data
  if (typeof name !== 'string' || typeof folder !== 'string') return undefined
  return {
    ...{ name, folder },
    ...(typeof instructions === 'string' && { instructions }),
    ...(isRetold === true && { isRetold }),
  }
}
