import { isPathResource, type Resource, statedResources, type ToolResources } from '../../contract/resources.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { reachOf, touchesFiles } from '../../contract/tool/reach.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { TouchedPath } from '../paths/judge-path.js'

/** What a call says it touches, before any path of it is judged. */
export interface CallTouch {
  readonly reads: readonly TouchedPath[]
  readonly writes: readonly TouchedPath[]
  /** Whether that is all it does to files, and nothing else is done to anything. */
  readonly isExact: boolean
  readonly network: boolean
  /** The call may touch more than it lists, by the tool's word or because the tool says nothing. */
  readonly isOpenEnded: boolean
  /** Why the tool's own answer cannot be used. */
  readonly problem: string | undefined
}

const NOTHING: CallTouch = {
  reads: [],
  writes: [],
  isExact: false,
  network: false,
  isOpenEnded: false,
  problem: undefined,
}

export interface CallManner {
  readonly isReadOnly: boolean
  /** What a command touches is found by its analysis, so the tool itself need not tell. */
  readonly runsCommand: boolean
}

/** Asks `getPath` and `resources` what the call touches. An answer that fails is a problem, never an empty list. */
export function callTouch(tool: Tool, input: unknown, manner: CallManner): CallTouch {
  if (tool.makesOnlyNestedCalls === true && !isMcpTool(tool)) return NOTHING
  const network = reachesOut(tool, input)
  if (tool.getPath === undefined && tool.resources === undefined) {
    return { ...NOTHING, network, isOpenEnded: !manner.runsCommand && touchesFiles(reachOf(tool)) }
  }
  try {
    return statedTouch(tool, input, manner, network)
  } catch {
    return { ...NOTHING, network, problem: `${tool.name} could not tell what the call touches` }
  }
}

function statedTouch(tool: Tool, input: unknown, { isReadOnly, runsCommand }: CallManner, network: boolean): CallTouch {
  const stated = statedResources(tool, input)
  const about: unknown = tool.getPath?.(input)
  if (about !== undefined && typeof about !== 'string') throw new TypeError('getPath must return a string')
  const reads = touchedPaths(stated?.reads)
  const writes = touchedPaths(stated?.writes)
  if (typeof about === 'string') {
    const path = touchedPath(about)
    const isListed = [...reads, ...writes].some(({ written }) => written === path.written)
    // Without `resources` it is unknown what the call does with its one path: it counts as read and written.
    if (isReadOnly || stated === undefined) reads.push(path)
    if (!isReadOnly && !isListed) writes.push(path)
  }
  const isUnknown = stated?.unknown === true
  const isSilent = stated === undefined && about === undefined && !runsCommand && touchesFiles(reachOf(tool))
  const isComplete = stated === undefined ? editsOnlyFiles(tool) : !isUnknown && !reachesBeyondPaths(tool)
  const isNetwork = network || stated?.network === true
  return {
    reads,
    writes,
    isExact: isComplete && !hasThings(stated) && !isNetwork,
    network: isNetwork,
    isOpenEnded: isUnknown || isSilent,
    problem: undefined,
  }
}

function hasThings({ reads = [], writes = [] }: ToolResources = {}): boolean {
  return [...reads, ...writes].some((each) => !isPathResource(each))
}

function touchedPaths(resources: readonly Resource[] = []): TouchedPath[] {
  return resources.filter(isPathResource).map(({ path }) => touchedPath(path))
}

function touchedPath(path: string): TouchedPath {
  const isFolder = /[^\\/][\\/]$/.test(path)
  return { written: path, isFolder }
}

/** The call may have effects that a list of paths does not show. */
function reachesBeyondPaths(tool: Tool): boolean {
  const { network, delegates } = reachOf(tool)
  return network || delegates
}

function editsOnlyFiles(tool: Tool): boolean {
  return reachOf(tool).writesFiles && !reachesBeyondPaths(tool)
}

function reachesOut(tool: Tool, input: unknown): boolean {
  if (reachOf(tool).network) return true
  if (tool.isOpenWorld === undefined) return false
  try {
    return tool.isOpenWorld(input) !== false
  } catch {
    return true
  }
}
