import type { PermissionRule } from '../contract/permission-rule.js'
import type { PortName } from '../contract/ports/index.js'
import type { Tool } from '../contract/tool.js'

/** What a tool tells of its calls. */
export type TellingTool = Pick<Tool, 'name'> &
  Partial<Pick<Tool, 'mcpInfo' | 'getPath' | 'resources' | 'needs' | 'isReadOnly' | 'preparePermissionMatcher'>>

/**
 * Whether a call may do what a rule with content is about, though the rule names another tool: `Edit(src/**)` is about
 * every write, `Read(…)` about every read, `Bash(…)` about every command. What cannot be told may.
 */
export function mayFallUnder({ toolName, content }: PermissionRule, tool: TellingTool, input: unknown): boolean {
  if (content === undefined) return false
  switch (toolName) {
    case 'Edit':
      return mayWrite(tool, input)
    case 'Read':
      return mayRead(tool, input)
    case 'Bash':
      return runsCommands(tool)
    default:
      return false
  }
}

export function runsCommands({ needs }: TellingTool): boolean {
  return needs?.some((port) => COMMANDS.has(port)) === true
}

/** Whether the tool's own matcher judges all that the call touches: it knows the one path and nothing beside. */
export function isAboutOnePath(tool: TellingTool, input: unknown): boolean {
  if (tool.getPath === undefined || runsCommands(tool)) return false
  const path = tool.getPath(input)
  const { reads = [], writes = [], unknown } = tool.resources?.(input) ?? {}
  return unknown !== true && [...reads, ...writes].every((each) => each === path)
}

function mayWrite(tool: TellingTool, input: unknown): boolean {
  const stated = tool.resources?.(input)
  if (stated?.unknown === true || (stated?.writes ?? []).length > 0) return true
  // A server may call its tools whatever it likes.
  if (tool.mcpInfo === undefined && tool.isReadOnly?.(input) === true) return false
  return tool.getPath !== undefined || (stated === undefined && mayReachFiles(tool))
}

function mayRead(tool: TellingTool, input: unknown): boolean {
  const stated = tool.resources?.(input)
  if (stated?.unknown === true || (stated?.reads ?? []).length > 0) return true
  return tool.getPath !== undefined || (stated === undefined && mayReachFiles(tool))
}

const COMMANDS: ReadonlySet<PortName> = new Set(['shell', 'terminal'])
/** Ports through which nobody gets at a file of the project. */
const AWAY_FROM_FILES: ReadonlySet<PortName> = new Set(['ask', 'clock', 'notify', 'state', 'catalog', 'model'])

/** A tool that names no ports may do anything by itself. */
function mayReachFiles({ needs }: TellingTool): boolean {
  return needs === undefined || needs.some((port) => !AWAY_FROM_FILES.has(port))
}
