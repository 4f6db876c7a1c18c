import { BYTES_PER_TOKEN } from '../../contract/limits.js'
import type { Skill } from '../../contract/tool/context.js'
import { shortenText } from '../../shared/cut-text.js'

/** Limit for the list at the start of a conversation, and again for each change. */
const MAX_LIST_TOKENS = 2_000
const MAX_LIST_CHARS = MAX_LIST_TOKENS * BYTES_PER_TOKEN
const MAX_DESCRIPTION_LENGTH = 250
/** Descriptions are not truncated below this length. If they still do not fit, only names are listed. */
const MIN_DESCRIPTION_LENGTH = 20

export interface ListedSkill {
  readonly name: string
  readonly description: string
}

/** Returns a list entry. The description is sanitised and truncated, so that it cannot break or fill the list. */
export function toListedSkill({ name, description }: Skill): ListedSkill {
  const line = description.replace(/[\s\p{C}<>]+/gu, ' ').trim()
  return { name, description: shortenText(line, MAX_DESCRIPTION_LENGTH) }
}

export function renderSkillsList(skills: readonly ListedSkill[]): string {
  const openingText = '<available-skills>\nSkills that the tool Skill loads:'
  const closingTag = '</available-skills>'
  return [
    openingText,
    ...formatSkillsWithin(skills, MAX_LIST_CHARS - openingText.length - closingTag.length - 2),
    closingTag,
  ].join('\n')
}

export function renderChangedSkills(addedSkills: readonly ListedSkill[], removedNames: readonly string[]): string {
  const half = MAX_LIST_CHARS / 2 - 100
  return [
    '<system-reminder>',
    ...(addedSkills.length > 0
      ? ['New or changed skills, which the tool Skill loads:', ...formatSkillsWithin(addedSkills, half)]
      : []),
    ...(removedNames.length > 0
      ? ['These skills are no longer available:', ...formatNamesWithin(removedNames, half)]
      : []),
    '</system-reminder>',
  ].join('\n')
}

/** Formats one line per skill. Truncates descriptions until all fit; otherwise lists only names, as many as fit. */
function formatSkillsWithin(skills: readonly ListedSkill[], budget: number): readonly string[] {
  const createLines = (maxLength: number) =>
    skills.map(({ name, description }) => `- ${name}: ${shortenText(description, maxLength)}`)
  for (
    let maxLength = MAX_DESCRIPTION_LENGTH;
    maxLength >= MIN_DESCRIPTION_LENGTH;
    maxLength = Math.floor(maxLength * 0.8)
  ) {
    const list = createLines(maxLength)
    if (lengthOf(list) <= budget) return list
  }
  return formatNamesWithin(
    skills.map(({ name }) => name),
    budget,
  )
}

const MAX_OMISSION_LINE_LENGTH = 40

function formatNamesWithin(names: readonly string[], budget: number): readonly string[] {
  const list: string[] = []
  let charsLeft = budget - MAX_OMISSION_LINE_LENGTH
  for (const name of names) {
    charsLeft -= name.length + 3
    if (charsLeft < 0) return [...list, `… and ${names.length - list.length} more`]
    list.push(`- ${name}`)
  }
  return list
}

/** Returns the length of the joined text, with a newline after each line. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
