import type { CommandAnalysis } from '../contract/command.js'
import type { PermissionRule } from '../contract/permission/rule.js'
import { getStatedResources, isSameResource } from '../contract/resources.js'
import { getCapabilities, getWorstCaseCapabilities, runsCommands } from '../contract/tool/capabilities.js'
import { RULE_FAMILIES } from '../contract/tool/rule-names.js'
import type { Tool } from '../contract/tool/tool.js'

/** The members of a tool that show what its calls do. */
export type JudgedTool = Pick<Tool, 'name'> &
  Partial<Pick<Tool, 'mcpInfo' | 'getPath' | 'resources' | 'needs' | 'isReadOnly' | 'preparePermissionMatcher'>>

/**
 * Whether a rule with content may concern a call, although it names another tool: `Edit(src/**)` concerns every write,
 * `Read(…)` every read, and `Bash(…)` every command. In doubt the answer is yes.
 */
export function mayFallUnder(
  { toolName, content }: PermissionRule,
  tool: JudgedTool,
  input: unknown,
  command?: CommandAnalysis,
): boolean {
  if (content === undefined) return false
  switch (toolName) {
    case RULE_FAMILIES.writes:
      return mayWrite(tool, input, command)
    case RULE_FAMILIES.reads:
      return mayRead(tool, input, command)
    case RULE_FAMILIES.commands:
      return runsCommands(getCapabilities(tool))
    default:
      return false
  }
}

/** Whether the tool's own matcher covers everything the call touches: a matcher sees only the path of `getPath`. */
export function isAboutOnePath(tool: JudgedTool, input: unknown): boolean {
  if (tool.getPath === undefined || runsCommands(getCapabilities(tool))) return false
  const ownPath = { path: tool.getPath(input) }
  const { reads = [], writes = [], unknown } = getStatedResources(tool, input) ?? {}
  return unknown !== true && [...reads, ...writes].every((resource) => isSameResource(resource, ownPath))
}

function mayWrite(tool: JudgedTool, input: unknown, command: CommandAnalysis | undefined): boolean {
  const resources = getStatedResources(tool, input, command)
  if (resources?.unknown === true || (resources?.writes ?? []).length > 0) return true
  // The read-only hint of an MCP server is not trusted.
  if (tool.mcpInfo === undefined && tool.isReadOnly?.(input, command) === true) return false
  return tool.getPath !== undefined || (resources === undefined && getWorstCaseCapabilities(tool).writesFiles)
}

function mayRead(tool: JudgedTool, input: unknown, command: CommandAnalysis | undefined): boolean {
  const resources = getStatedResources(tool, input, command)
  if (resources?.unknown === true || (resources?.reads ?? []).length > 0) return true
  return tool.getPath !== undefined || (resources === undefined && getWorstCaseCapabilities(tool).readsFiles)
}
