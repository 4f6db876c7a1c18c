import { reachOf } from '../../contract/tool/reach.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'

/** The command that a call runs: of a tool that is given a shell, or that command rules name. Empty where nobody can tell which. */
export function commandOf(tool: Tool, input: unknown): string | undefined {
  const isNamed = ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
  const { runsCommandLines, typesKeystrokes } = reachOf(tool)
  if (!isNamed && !typesKeystrokes && !runsCommandLines) return undefined
  const command = typeof input === 'object' && input !== null ? (input as Record<string, unknown>).command : undefined
  if (typeof command === 'string') return command
  const onlyLooksAtTerminal = !isNamed && !runsCommandLines && isCallReadOnly(tool, input)
  // What is typed into a terminal, or given to a shell under another name, may be any command.
  return onlyLooksAtTerminal ? undefined : ''
}
