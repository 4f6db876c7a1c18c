import { PORT_REACH, type PortName, type PortReach } from '../ports/index.js'

/** What calls of a tool can do outside their own code. */
export interface ToolReach {
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  /** Runs command lines from the input of the call. */
  readonly runsCommandLines: boolean
  /** Types into a running program, so that a command may arrive in several calls. */
  readonly typesKeystrokes: boolean
  readonly usesNetwork: boolean
  /** Hands work to something that acts on its own, so that the effects go beyond the paths a call names. */
  readonly delegates: boolean
}

/** The part of a tool that declares the ports of its calls. */
export interface ToolWithNeeds {
  readonly needs?: readonly PortName[] | undefined
}

/**
 * Returns what the ports of a tool let its calls do. Permission decisions use it.
 *
 * A tool without `needs` gets no ports, so it reaches nothing here. Its own code is trusted as far as its `isReadOnly`
 * and `checkPermissions` are, and an MCP tool is governed by the rules for its server. If such a tool counted as
 * reading any file, one `Read(.env)` deny rule would turn every call of every MCP tool into a question.
 */
export function reachOf({ needs = [] }: ToolWithNeeds): ToolReach {
  const canReach = (effect: PortReach) => needs.some((port) => PORT_REACH[port].includes(effect))
  return {
    readsFiles: canReach('reads files'),
    writesFiles: canReach('writes files'),
    runsCommandLines: canReach('runs command lines'),
    typesKeystrokes: canReach('types keystrokes'),
    usesNetwork: canReach('network'),
    delegates: canReach('delegates'),
  }
}

/**
 * Returns what calls of a tool may do in the worst case. Guards use it: hook conditions, and denials of a call that
 * could not be judged. A guard that runs once too often costs little; a skipped guard is a security hole.
 *
 * So delegated work and a tool that does not declare its ports count as reading and writing any file. Neither counts as
 * running a command line: without a port for commands, there is no command to compare with a `Bash(…)` rule.
 */
export function worstReachOf(tool: ToolWithNeeds): ToolReach {
  const reach = reachOf(tool)
  const hasUnknownEffects = reach.delegates || tool.needs === undefined
  return hasUnknownEffects ? { ...reach, readsFiles: true, writesFiles: true } : reach
}

/** Whether calls run commands, as command lines or by typing into a terminal. */
export function runsCommands({ runsCommandLines, typesKeystrokes }: ToolReach): boolean {
  return runsCommandLines || typesKeystrokes
}

export function touchesFiles({ readsFiles, writesFiles }: ToolReach): boolean {
  return readsFiles || writesFiles
}
