import { BYTES_PER_TOKEN } from '../../contract/limits.js'
import type { Skill } from '../../contract/tool/context.js'

/** What skills may cost at the start of a conversation, and once more where they change. */
const BUDGET_TOKENS = 2_000
const BUDGET_CHARS = BUDGET_TOKENS * BYTES_PER_TOKEN
const LONGEST_DESCRIPTION = 250
/** Below this a description says nothing any more. */
const SHORTEST_DESCRIPTION = 20

export interface ListedSkill {
  readonly name: string
  readonly description: string
}

/** A skill as it is listed: what it says of itself can neither break the list nor fill it. */
export function listedSkill({ name, description }: Skill): ListedSkill {
  const line = description.replace(/[\s\p{C}<>]+/gu, ' ').trim()
  return { name, description: cut(line, LONGEST_DESCRIPTION) }
}

export function skillsListText(skills: readonly ListedSkill[]): string {
  const open = '<available-skills>\nSkills that the tool Skill loads:'
  const close = '</available-skills>'
  return [open, ...listWithin(skills, BUDGET_CHARS - open.length - close.length - 2), close].join('\n')
}

export function changedSkillsText(added: readonly ListedSkill[], removed: readonly string[]): string {
  const half = BUDGET_CHARS / 2 - 100
  return [
    '<system-reminder>',
    ...(added.length > 0 ? ['New or changed skills, which the tool Skill loads:', ...listWithin(added, half)] : []),
    ...(removed.length > 0 ? ['These skills are gone:', ...namesWithin(removed, half)] : []),
    '</system-reminder>',
  ].join('\n')
}

/** A line for each skill: descriptions cut to the length at which all fit, else names alone, else as many as fit. */
function listWithin(skills: readonly ListedSkill[], budget: number): readonly string[] {
  const lines = (longest: number) => skills.map(({ name, description }) => `- ${name}: ${cut(description, longest)}`)
  for (let longest = LONGEST_DESCRIPTION; longest >= SHORTEST_DESCRIPTION; longest = Math.floor(longest * 0.8)) {
    const list = lines(longest)
    if (lengthOf(list) <= budget) return list
  }
  return namesWithin(
    skills.map(({ name }) => name),
    budget,
  )
}

const LONGEST_NOTE = 40

function namesWithin(names: readonly string[], budget: number): readonly string[] {
  const list: string[] = []
  let left = budget - LONGEST_NOTE
  for (const name of names) {
    left -= name.length + 3
    if (left < 0) return [...list, `… and ${names.length - list.length} more`]
    list.push(`- ${name}`)
  }
  return list
}

/** With a line end for each. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Never inside a character of two halves.
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
