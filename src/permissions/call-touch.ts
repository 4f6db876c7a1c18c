import type { PortName } from '../contract/ports/index.js'
import type { Tool, ToolResources } from '../contract/tool.js'
import type { TouchedPath } from './judge-path.js'

/** What a call says it touches, before any path of it is judged. */
export interface CallTouch {
  readonly reads: readonly TouchedPath[]
  readonly writes: readonly TouchedPath[]
  /** Whether that is all it does to files, and nothing else is done to anything. */
  readonly isExact: boolean
  readonly network: boolean
  /** The tool says that it may touch more than it lists. */
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
/** Ports that reach beyond this machine. */
const OUTWARD: ReadonlySet<PortName> = new Set(['http', 'browser', 'mcp'])

/** Asks `getPath` and `resources` what the call touches. An answer that fails is a problem, never an empty list. */
export function callTouch(tool: Tool, input: unknown, isReadOnly: boolean): CallTouch {
  const network = reachesOut(tool, input)
  if (tool.getPath === undefined && tool.resources === undefined) return network ? { ...NOTHING, network } : NOTHING
  try {
    return statedTouch(tool, input, isReadOnly, network)
  } catch {
    return { ...NOTHING, network, problem: `${tool.name} could not tell what the call touches` }
  }
}

function statedTouch(tool: Tool, input: unknown, isReadOnly: boolean, network: boolean): CallTouch {
  const stated: ToolResources | undefined = tool.resources?.(input)
  const about = tool.getPath?.(input)
  const reads = pathsOf(tool, stated?.reads)
  const writes = pathsOf(tool, stated?.writes)
  if (typeof about === 'string') {
    const path = touchedPath(about)
    const isListed = [...reads.paths, ...writes.paths].some(({ written }) => written === path.written)
    // What a tool does with its one path is known only where it says more: then it is read and written.
    if (isReadOnly || stated === undefined) reads.paths.push(path)
    if (!isReadOnly && !isListed) writes.paths.push(path)
  }
  const isComplete = stated === undefined ? reachesOnlyFiles(tool) : stated.unknown !== true
  return {
    reads: reads.paths,
    writes: writes.paths,
    isExact: isComplete && !reads.hasOthers && !writes.hasOthers && stated?.network !== true && !network,
    network: network || stated?.network === true,
    isOpenEnded: stated?.unknown === true,
    problem: undefined,
  }
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
