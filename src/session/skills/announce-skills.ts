import type { AttachmentMessage, Message } from '../../contract/messages.js'
import type { Skill } from '../../contract/tool/context.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { isRecord } from '../../shared/is-record.js'
import { type ListedSkill, renderChangedSkills, renderSkillsList, toListedSkill } from './skills-text.js'

const ATTACHMENT_KIND = 'skills'

interface SkillsNotice {
  readonly text: string
  readonly added: readonly ListedSkill[]
  readonly removed: readonly string[]
}

/**
 * Returns the attachment that lists skills: all of them at the start of a conversation, later only the changes, and
 * undefined if nothing changed. Skills are listed in messages and not in the tool's description, so that a change does
 * not invalidate the prompt cache. Pass no skills if no tool of the pool can load them.
 */
export function announceSkills(messages: readonly Message[], skills: readonly Skill[]): AttachmentMessage | undefined {
  const notices = messages.flatMap((message) => readNotice(message) ?? [])
  const currentSkills = skills
    .filter(({ skill }) => !skill.isUserInvocableOnly)
    .map(toListedSkill)
    .sort((a, b) => compareCodeUnits(a.name, b.name))
  if (notices.length === 0)
    return currentSkills.length === 0
      ? undefined
      : toAttachment({ text: renderSkillsList(currentSkills), added: currentSkills, removed: [] })
  const announcedSkills = collectAnnouncedSkills(notices)
  const added = currentSkills.filter(({ name, description }) => announcedSkills.get(name) !== description)
  const removedNames = [...announcedSkills.keys()]
    .filter((name) => !currentSkills.some((skill) => skill.name === name))
    .sort(compareCodeUnits)
  if (added.length + removedNames.length === 0) return undefined
  return toAttachment({ text: renderChangedSkills(added, removedNames), added, removed: removedNames })
}

/** Returns the text of a skills attachment for the model. Undefined for other messages. */
export function formatSkillsNotice(message: Message): string | undefined {
  return readNotice(message)?.text
}

function collectAnnouncedSkills(notices: readonly SkillsNotice[]): ReadonlyMap<string, string> {
  const announcedSkills = new Map<string, string>()
  for (const { added, removed } of notices) {
    for (const { name, description } of added) announcedSkills.set(name, description)
    for (const name of removed) announcedSkills.delete(name)
  }
  return announcedSkills
}

function toAttachment(data: SkillsNotice): AttachmentMessage {
  return { type: 'attachment', kind: ATTACHMENT_KIND, data }
}

/** Reads the data of a skills attachment. Malformed data is ignored, because transcripts may come from any version. */
function readNotice(message: Message): SkillsNotice | undefined {
  if (message.type !== 'attachment' || message.kind !== ATTACHMENT_KIND || !isRecord(message.data)) return undefined
  const { text, added, removed } = message.data
  if (typeof text !== 'string' || !Array.isArray(added) || !Array.isArray(removed)) return undefined
  return { text, added: added.filter(isListedSkill), removed: removed.filter((name) => typeof name === 'string') }
}

function isListedSkill(value: unknown): value is ListedSkill {
  return isRecord(value) && typeof value.name === 'string' && typeof value.description === 'string'
}
