import type { CommandLanguage, CommandLine } from '../command.js'
import { reachOf } from './reach.js'
import { RULE_FAMILIES, ruleNamesOf } from './rule-names.js'
import type { Tool } from './tool.js'
import { isCallReadOnly } from './traits.js'

/**
 * Returns the command that a call runs, if its tool runs commands or `Bash` rules name it. The text is empty if the call
 * runs an unknown command: the tool does not state it, or it is typed as keystrokes.
 */
export function commandOf(tool: Tool, input: unknown): CommandLine | undefined {
  if (!mayRunCommands(tool)) return undefined
  const stated = statedCommand(tool, input)
  if (stated !== undefined) return stated
  const isTerminal = !isNamedByCommandRules(tool) && !reachOf(tool).runsCommandLines
  return isTerminal && isCallReadOnly(tool, input) ? undefined : UNKNOWN_COMMAND
}

const UNKNOWN_COMMAND: CommandLine = Object.freeze({ text: '', language: 'bash' })

/** Tools are immutable, so the answer for each is kept: every call of every tool asks. */
const answers = new WeakMap<Tool, boolean>()

function mayRunCommands(tool: Tool): boolean {
  const known = answers.get(tool)
  if (known !== undefined) return known
  const { runsCommandLines, typesKeystrokes } = reachOf(tool)
  const answer = isNamedByCommandRules(tool) || typesKeystrokes || runsCommandLines
  answers.set(tool, answer)
  return answer
}

function isNamedByCommandRules(tool: Tool): boolean {
  return ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
}

function statedCommand(tool: Tool, input: unknown): CommandLine | undefined {
  try {
    const stated = tool.command?.(input)
    const isStated = typeof stated?.text === 'string' && LANGUAGES.has(stated.language)
    return isStated ? { text: stated.text, language: stated.language } : undefined
  } catch {
    // A command that the tool cannot state is unknown.
    return undefined
  }
}

const LANGUAGES: ReadonlySet<unknown> = new Set<CommandLanguage>(['bash', 'powershell'])
