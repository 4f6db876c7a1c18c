import type { CommandAnalysis } from '../../contract/command.js'
import { getStatedResources, isPathResource, type Resource, type ToolResources } from '../../contract/resources.js'
import { getCapabilities, usesFiles } from '../../contract/tool/capabilities.js'
import { onlyUrlOf } from '../../contract/tool/command-of.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { TouchedPath } from '../paths/judge-path.js'

/** The files and the network that a call uses according to its tool. The paths have not been judged yet. */
export interface CallTouch {
  readonly reads: readonly TouchedPath[]
  readonly writes: readonly TouchedPath[]
  /** Whether the call does nothing but read and write these files. */
  readonly isExact: boolean
  readonly network: boolean
  /** Whether the call may use more files than `reads` and `writes`, because the tool says so or declares nothing. */
  readonly isOpenEnded: boolean
  /** Why the paths or resources that the tool declares cannot be used. */
  readonly problem: string | undefined
}

const EMPTY_TOUCH: CallTouch = {
  reads: [],
  writes: [],
  isExact: false,
  network: false,
  isOpenEnded: false,
  problem: undefined,
}

/** The facts about a call that are known before its paths. */
export interface CallTraits {
  readonly isReadOnly: boolean
  /** If present, the analysis finds the files that the command uses, so the tool need not declare them. */
  readonly command?: CommandAnalysis | undefined
}

/** Calls `getPath` and `resources` to find what the call uses. A failure is reported as a problem, never as an empty list. */
export function touchOf(tool: Tool, input: unknown, traits: CallTraits): CallTouch {
  if (tool.makesOnlyNestedCalls === true && !isMcpTool(tool)) return EMPTY_TOUCH
  if (onlyUrlOf(tool, input) !== undefined) return { ...EMPTY_TOUCH, network: true }
  const network = reachesNetwork(tool, input, traits.command)
  if (tool.getPath === undefined && tool.resources === undefined) {
    return { ...EMPTY_TOUCH, network, isOpenEnded: traits.command === undefined && usesFiles(getCapabilities(tool)) }
  }
  try {
    return declaredTouchOf(tool, input, traits, network)
  } catch {
    return { ...EMPTY_TOUCH, network, problem: `${tool.name} failed to state what the call uses` }
  }
}

function declaredTouchOf(tool: Tool, input: unknown, { isReadOnly, command }: CallTraits, network: boolean): CallTouch {
  const resources = getStatedResources(tool, input, command)
  const toolPath: unknown = tool.getPath?.(input)
  if (toolPath !== undefined && typeof toolPath !== 'string') throw new TypeError('getPath must return a string')
  const reads = toTouchedPaths(resources?.reads)
  const writes = toTouchedPaths(resources?.writes)
  if (typeof toolPath === 'string')
    addToolPath(toolPath, reads, writes, { isReadOnly, isUseStated: resources !== undefined })
  const isUnknown = resources?.unknown === true
  const declaresNothing = [resources, toolPath, command].every(isMissing) && usesFiles(getCapabilities(tool))
  const isAll = listsAll(tool, resources)
  const isComplete = resources === undefined ? editsOnlyFiles(tool) : isAll || !hasOtherEffects(tool)
  const isNetwork = resources?.network === true || (network && !isAll)
  return {
    reads,
    writes,
    isExact: isComplete && !isUnknown && !hasOtherResources(resources) && !isNetwork,
    network: isNetwork,
    isOpenEnded: isUnknown || declaresNothing,
    problem: undefined,
  }
}

/** Whether the call does nothing but use what it lists. The statement of an MCP server does not count. */
function listsAll(tool: Tool, resources: ToolResources | undefined): boolean {
  return resources?.isAll === true && !isMcpTool(tool)
}

function addToolPath(
  toolPath: string,
  reads: TouchedPath[],
  writes: TouchedPath[],
  use: { readonly isReadOnly: boolean; readonly isUseStated: boolean },
): void {
  const path = toTouchedPath(toolPath)
  const isListed = [...reads, ...writes].some(({ originalPath }) => originalPath === path.originalPath)
  // Without `resources`, it is unknown how the call uses its path, so the path counts as both read and written.
  if (use.isReadOnly || !use.isUseStated) reads.push(path)
  if (!use.isReadOnly && !isListed) writes.push(path)
}

function isMissing(value: unknown): boolean {
  return value === undefined
}

function hasOtherResources({ reads = [], writes = [] }: ToolResources = {}): boolean {
  return [...reads, ...writes].some((resource) => !isPathResource(resource))
}

function toTouchedPaths(resources: readonly Resource[] = []): TouchedPath[] {
  return resources.filter(isPathResource).map(({ path }) => toTouchedPath(path))
}

function toTouchedPath(path: string): TouchedPath {
  const isFolder = /[^\\/][\\/]$/.test(path)
  return { originalPath: path, isFolder }
}

/** Whether the call may have effects that a list of paths does not show. */
function hasOtherEffects(tool: Tool): boolean {
  const { usesNetwork, delegates } = getCapabilities(tool)
  return usesNetwork || delegates
}

function editsOnlyFiles(tool: Tool): boolean {
  return getCapabilities(tool).writesFiles && !hasOtherEffects(tool)
}

function reachesNetwork(tool: Tool, input: unknown, command: CommandAnalysis | undefined): boolean {
  const runsOnlyItsCommand = command !== undefined && tool.runsOnlyItsCommand === true
  if (getCapabilities(tool).usesNetwork && !runsOnlyItsCommand) return true
  if (tool.isOpenWorld === undefined) return false
  try {
    return tool.isOpenWorld(input, command) !== false
  } catch {
    return true
  }
}
