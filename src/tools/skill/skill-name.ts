import { commandIsCovered, parseCommandPattern } from '../../shell/command-pattern.js'

/** The name that is meant: users write a slash before it, and models copy that. */
export function skillName(written: string): string {
  return written.trim().replace(/^\//, '')
}

/** Whether the content of a rule means a skill: `name`, `name:*` (also what is named `name:…`), or `*` for any text. */
export function ruleMeansSkill(content: string, name: string): boolean {
  const pattern = parseCommandPattern(skillName(content))
  // In `plugin:skill` the colon ends a word, as a space does in a command.
  return [name, name.replaceAll(':', ' ')].some((text) =>
    commandIsCovered(pattern, { text, resolvedLength: text.length }),
  )
}
