import type { AttachmentMessage, Message } from '../../contract/messages.js'
import type { Skill } from '../../contract/tool/context.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { isRecord } from '../../shared/is-record.js'
import { changedSkillsText, type ListedSkill, listedSkill, skillsListText } from './skills-text.js'

const KIND = 'skills'

interface SkillsNotice {
  readonly text: string
  readonly added: readonly ListedSkill[]
  readonly removed: readonly string[]
}

/**
 * What the model has to be told of skills, given the conversation so far: at the start all of them, later only what
 * changed, and nothing where nothing did. In messages and not in the tool's own text, so that skills may come and go
 * without a change to the beginning of requests. Give it no skills where the tool Skill is not in the pool.
 */
export function announceSkills(messages: readonly Message[], skills: readonly Skill[]): AttachmentMessage | undefined {
  const told = messages.flatMap((message) => readNotice(message) ?? [])
  const now = skills
    .filter(({ skill }) => !skill.isUserInvocableOnly)
    .map(listedSkill)
    .sort((a, b) => compareCodeUnits(a.name, b.name))
  if (told.length === 0)
    return now.length === 0 ? undefined : notice({ text: skillsListText(now), added: now, removed: [] })
  const known = knownFrom(told)
  const added = now.filter(({ name, description }) => known.get(name) !== description)
  const removed = [...known.keys()].filter((name) => !now.some((skill) => skill.name === name)).sort(compareCodeUnits)
  if (added.length + removed.length === 0) return undefined
  return notice({ text: changedSkillsText(added, removed), added, removed })
}

/** What an attachment tells the model of skills, if that is what it is for. */
export function skillsText(message: Message): string | undefined {
  return readNotice(message)?.text
}

function knownFrom(told: readonly SkillsNotice[]): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const { added, removed } of told) {
    for (const { name, description } of added) known.set(name, description)
    for (const name of removed) known.delete(name)
  }
  return known
}

function notice(data: SkillsNotice): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data }
}

/** A transcript may be of any age: what is no announcement is none. */
function readNotice(message: Message): SkillsNotice | undefined {
  if (message.type !== 'attachment' || message.kind !== KIND || !isRecord(message.data)) return undefined
  const { text, added, removed } = message.data
  if (typeof text !== 'string' || !Array.isArray(added) || !Array.isArray(removed)) return undefined
  return { text, added: added.filter(isListed), removed: removed.filter((name) => typeof name === 'string') }
}

function isListed(value: unknown): value is ListedSkill {
  return isRecord(value) && typeof value.name === 'string' && typeof value.description === 'string'
}
