import { reachOf } from '../../contract/tool/reach.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'

/**
 * Returns the command that a call runs, if its tool runs commands or `Bash` rules name it. The result is empty if the
 * call runs an unknown command.
 */
export function commandOf(tool: Tool, input: unknown): string | undefined {
  const isNamed = ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
  const { runsCommandLines, typesKeystrokes } = reachOf(tool)
  if (!isNamed && !typesKeystrokes && !runsCommandLines) return undefined
  const command = typeof input === 'object' && input !== null ? (input as Record<string, unknown>).command : undefined
  if (typeof command === 'string') return command
  const onlyReadsTerminal = !isNamed && !runsCommandLines && isCallReadOnly(tool, input)
  // Keystrokes, or a command in another field of the input, may be any command.
  return onlyReadsTerminal ? undefined : ''
}
