import { commandMayMatch, parseCommandPattern } from '../shell/command-pattern.js'
import type { ShellFacts } from '../shell/facts.js'

/** Whether any command of a line falls under the content of a rule; throws where that cannot be told. */
export function matchesCommandRule(content: string, { commands, isUnresolved }: ShellFacts): boolean {
  const pattern = parseCommandPattern(content)
  const answers = commands.flatMap(({ canonical }) => canonical.map((text) => commandMayMatch(pattern, text)))
  if (pattern.kind === 'any' || answers.includes('yes')) return true
  if (isUnresolved || answers.includes('maybe')) throw new Error('Not all of the command is known before it runs.')
  return false
}
