import type { CommandLanguage, CommandLine } from '../command.js'
import { getCapabilities } from './capabilities.js'
import { isMcpTool } from './identity.js'
import { RULE_FAMILIES, ruleNamesOf } from './rule-names.js'
import type { Tool } from './tool.js'
import { isCallReadOnly } from './traits.js'

/**
 * Returns the command that a call runs, if its tool runs commands or `Bash` rules name it. The text is empty if the call
 * runs an unknown command: the tool does not state it, or it is typed as keystrokes.
 */
export function commandOf(tool: Tool, input: unknown): CommandLine | undefined {
  if (!mayRunCommands(tool)) return undefined
  const command = readStatedCommand(tool, input)
  if (command !== undefined) return command
  if (!isNamedByCommandRules(tool) && onlyUrlOf(tool, input) !== undefined) return undefined
  const isTerminal = !isNamedByCommandRules(tool) && !getCapabilities(tool).runsCommandLines
  return isTerminal && isCallReadOnly(tool, input) ? undefined : UNKNOWN_COMMAND
}

const UNKNOWN_COMMAND: CommandLine = Object.freeze({ text: '', language: 'bash' })

/** The cached results of `mayRunCommands`, which every call needs. Tools are immutable. */
const cachedResults = new WeakMap<Tool, boolean>()

function mayRunCommands(tool: Tool): boolean {
  const cached = cachedResults.get(tool)
  if (cached !== undefined) return cached
  const { runsCommandLines, typesKeystrokes } = getCapabilities(tool)
  const result = isNamedByCommandRules(tool) || typesKeystrokes || runsCommandLines
  cachedResults.set(tool, result)
  return result
}

function isNamedByCommandRules(tool: Tool): boolean {
  return ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
}

/** Returns undefined if the tool states that the call runs no command. An invalid statement counts as an unknown command. */
function readStatedCommand(tool: Tool, input: unknown): CommandLine | undefined {
  if (tool.command === undefined) return UNKNOWN_COMMAND
  try {
    const command = tool.command(input)
    if (command === undefined) return undefined
    // Read once: a getter could return another text the second time.
    const { text, language } = command
    return typeof text === 'string' && LANGUAGES.has(language) ? { text, language } : UNKNOWN_COMMAND
  } catch {
    return UNKNOWN_COMMAND
  }
}

/** Returns the URL of a call that does nothing but connect to it. A call that also states a command is not such a call. */
export function onlyUrlOf(tool: Tool, input: unknown): string | undefined {
  if (tool.connectsOnlyTo === undefined || isMcpTool(tool)) return undefined
  try {
    const url: unknown = tool.connectsOnlyTo(input)
    const hasCommand = tool.command?.(input) !== undefined
    return typeof url === 'string' && !hasCommand ? url : undefined
  } catch {
    // The call is judged without the statement, as one that may do anything that its ports allow.
    return undefined
  }
}

const LANGUAGES: ReadonlySet<unknown> = new Set<CommandLanguage>(['bash', 'powershell'])
