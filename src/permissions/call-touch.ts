import type { PortName } from '../contract/ports/index.js'
import type { Tool, ToolResources } from '../contract/tool.js'
import { isMcpTool } from '../contract/tool-identity.js'
import type { TouchedPath } from './judge-path.js'

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

/** Ports through which a call can do more than its path tells. */
const FAR_REACHING: ReadonlySet<PortName> = new Set([
  'shell',
  'terminal',
  'http',
  'model',
  'agents',
  'tasks',
  'mcp',
  'browser',
  'schedule',
  'lsp',
])
/** Ports through which a call can get at files that it does not name. */
const REACHES_FILES: ReadonlySet<PortName> = new Set([
  ...(['files', 'search', 'shell', 'terminal', 'lsp', 'checkpoints', 'browser'] as const),
  ...(['model', 'agents', 'tasks', 'schedule'] as const),
])
/** Ports that reach beyond this machine. */
const OUTWARD: ReadonlySet<PortName> = new Set(['http', 'browser', 'mcp'])

export interface CallManner {
  readonly isReadOnly: boolean
  /** What a command touches is found by its analysis, so the tool itself need not tell. */
  readonly runsCommand: boolean
}

/** Asks `getPath` and `resources` what the call touches. An answer that fails is a problem, never an empty list. */
export function callTouch(tool: Tool, input: unknown, manner: CallManner): CallTouch {
  if (tool.doesOnlyNestedCalls === true && !isMcpTool(tool)) return NOTHING
  const network = reachesOut(tool, input)
  if (tool.getPath === undefined && tool.resources === undefined) {
    return { ...NOTHING, network, isOpenEnded: !manner.runsCommand && mayReachFiles(tool) }
  }
  try {
    return statedTouch(tool, input, manner, network)
  } catch {
    return { ...NOTHING, network, problem: `${tool.name} could not tell what the call touches` }
  }
}

function statedTouch(tool: Tool, input: unknown, { isReadOnly, runsCommand }: CallManner, network: boolean): CallTouch {
  const stated = checkedResources(tool.resources?.(input))
  const about: unknown = tool.getPath?.(input)
  if (about !== undefined && typeof about !== 'string') throw new TypeError('getPath must return a text')
  const reads = pathsOf(tool, stated?.reads)
  const writes = pathsOf(tool, stated?.writes)
  if (typeof about === 'string') {
    const path = touchedPath(about)
    const isListed = [...reads.paths, ...writes.paths].some(({ written }) => written === path.written)
    // What a tool does with its one path is known only where it says more: then it is read and written.
    if (isReadOnly || stated === undefined) reads.paths.push(path)
    if (!isReadOnly && !isListed) writes.paths.push(path)
  }
  const isOpen = isSet(stated?.unknown)
  const isSilent = stated === undefined && about === undefined && !runsCommand && mayReachFiles(tool)
  const reachesFar = tool.needs?.some((port) => FAR_REACHING.has(port)) === true
  const isComplete = stated === undefined ? reachesOnlyFiles(tool) : !isOpen && !reachesFar
  const isNetwork = network || isSet(stated?.network)
  return {
    reads: reads.paths,
    writes: writes.paths,
    isExact: isComplete && !reads.hasOthers && !writes.hasOthers && !isNetwork,
    network: isNetwork,
    isOpenEnded: isOpen || isSilent,
    problem: undefined,
  }
}

/** A promise, or lists that are none, would read as an empty answer: that is a failure instead. */
function checkedResources(stated: unknown): ToolResources | undefined {
  if (stated === undefined) return undefined
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated) || 'then' in stated) {
    throw new TypeError('resources must return an object at once')
  }
  const { reads, writes } = stated as Record<string, unknown>
  if (![reads, writes].every(isList)) throw new TypeError('resources must list texts')
  return stated
}

function isList(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every((each) => typeof each === 'string'))
}

/** Whatever is not plainly a no counts. */
function isSet(flag: unknown): boolean {
  return flag !== undefined && flag !== false
}

function mayReachFiles({ needs }: Tool): boolean {
  return needs?.some((port) => REACHES_FILES.has(port)) === true
}

function pathsOf(tool: Tool, resources: readonly string[] = []): { paths: TouchedPath[]; hasOthers: boolean } {
  const others = resources.filter((resource) => isNamed(tool, resource))
  // A name that could be a file is judged as one, yet never counts as an edit of a file that is known.
  const hasOthers = resources.some((resource) => LOOKS_NAMED.test(resource))
  return { paths: resources.filter((resource) => !others.includes(resource)).map(touchedPath), hasOthers }
}

const LOOKS_NAMED = /^[a-zA-Z][\w-]+:[^/\\]*$/

/**
 * `todo:list` is a thing of the host only for a tool that is given no files: else it may be a file of that name.
 * The files of a tool that runs commands are found by the analysis of its command.
 */
function isNamed({ needs }: Tool, resource: string): boolean {
  return LOOKS_NAMED.test(resource) && needs !== undefined && (!needs.includes('files') || needs.includes('shell'))
}

function touchedPath(resource: string): TouchedPath {
  const isFolder = /[^\\/][\\/]$/.test(resource)
  return { written: resource, isFolder }
}

function reachesOnlyFiles({ needs }: Tool): boolean {
  return needs?.includes('files') === true && !needs.some((port) => FAR_REACHING.has(port))
}

function reachesOut(tool: Tool, input: unknown): boolean {
  if (tool.needs?.some((port) => OUTWARD.has(port)) === true) return true
  if (tool.isOpenWorld === undefined) return false
  try {
    return tool.isOpenWorld(input) !== false
  } catch {
    return true
  }
}
