import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message } from './messages.js'

const KIND = 'loaded_skill'

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
  return { type: 'attachment', kind: KIND, data: skill }
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
  if (message.type !== 'attachment' || message.kind !== KIND || !isRecord(message.data)) return undefined
  const { name, folder, instructions, isRetold } = message.data
  if (typeof name !== 'string' || typeof folder !== 'string') return undefined
  return {
    ...{ name, folder },
    ...(typeof instructions === 'string' && { instructions }),
    ...(isRetold === true && { isRetold }),
  }
}
