import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message } from './messages.js'

const KIND = 'loaded_skill'

export interface LoadedSkill {
  readonly name: string
  readonly folder: string
}

/** The record in the message stream that a skill was loaded: for what has to be known of it after a resume or a compaction. */
export function loadedSkill({ name, folder }: LoadedSkill): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data: { name, folder } }
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
  const { name, folder } = message.data
  return typeof name === 'string' && typeof folder === 'string' ? { name, folder } : undefined
}
