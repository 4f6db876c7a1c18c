import { PORT_CAPABILITIES, type PortCapability, type PortName } from '../ports/index.js'

/** What calls of a tool can do outside their own code. */
export interface ToolCapabilities {
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  /** Whether calls run command lines from their input. */
  readonly runsCommandLines: boolean
  /** Whether calls type into a running program, so that a command may arrive in several calls. */
  readonly typesKeystrokes: boolean
  readonly usesNetwork: boolean
  /**
   * Whether calls pass work to a program, server, model or agent that decides itself what it does, so that they may affect more
   * paths than they name.
   */
  readonly delegates: boolean
}

/** The part of a tool that declares the ports of its calls. */
export interface ToolWithNeeds {
  readonly needs?: readonly PortName[] | undefined
}

/**
 * Returns what the ports of a tool let its calls do. Permission decisions use it.
 *
 * A tool without `needs` gets no ports, so the result contains no capability. Its own code is trusted as far as its `isReadOnly`
 * and `checkPermissions` are, and an MCP tool is governed by the rules for its server. If such a tool counted as
 * reading any file, one `Read(.env)` deny rule would require a question for every call of every MCP tool.
 */
export function getCapabilities({ needs = [] }: ToolWithNeeds): ToolCapabilities {
  const hasCapability = (effect: PortCapability) => needs.some((port) => PORT_CAPABILITIES[port].includes(effect))
  return {
    readsFiles: hasCapability('reads files'),
    writesFiles: hasCapability('writes files'),
    runsCommandLines: hasCapability('runs command lines'),
    typesKeystrokes: hasCapability('types keystrokes'),
    usesNetwork: hasCapability('network'),
    delegates: hasCapability('delegates'),
  }
}

/**
 * Returns what calls of a tool may do in the worst case. Guards use it: hook conditions, and denials of a call that
 * could not be judged. A guard that runs once too often costs little; a skipped guard is a security hole.
 *
 * So delegated work and a tool that does not declare its ports count as reading and writing any file. Neither counts as
 * running a command line: without a port for commands, there is no command to compare with a `Bash(…)` rule.
 */
export function getWorstCaseCapabilities(tool: ToolWithNeeds): ToolCapabilities {
  const capabilities = getCapabilities(tool)
  const hasUnknownEffects = capabilities.delegates || tool.needs === undefined
  return hasUnknownEffects ? { ...capabilities, readsFiles: true, writesFiles: true } : capabilities
}

/** Whether calls run commands, as command lines or by typing into a terminal. */
export function runsCommands({ runsCommandLines, typesKeystrokes }: ToolCapabilities): boolean {
  return runsCommandLines || typesKeystrokes
}

export function usesFiles({ readsFiles, writesFiles }: ToolCapabilities): boolean {
  return readsFiles || writesFiles
}

/**
 * Whether calls may name the files that they use. A tool that only delegates work, as WebFetch does to a model, names none; a
 * tool that does not declare its ports may use files by itself.
 */
export function mayNameFiles({ needs }: ToolWithNeeds): boolean {
  if (needs === undefined) return true
  return needs.some((port) => {
    const capabilities = PORT_CAPABILITIES[port]
    return capabilities.includes('reads files') && !capabilities.includes('delegates')
  })
}
