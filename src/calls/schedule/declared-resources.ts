import type { CommandAnalysis } from '../../contract/command.js'
import {
  isPathResource,
  isSameResource,
  type Resource,
  SHELL_CWD,
  statedResources,
  type ToolResources,
} from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isCallConcurrencySafe } from '../../contract/tool/traits.js'

/** `base` considers only whether a call is concurrency-safe, `resources` also the resources that it declares. */
export type SchedulingRule = 'base' | 'resources'

/** The resources that a call declares, before paths are resolved. */
export type DeclaredResources =
  | { readonly kind: 'everything'; readonly isExclusive: boolean; readonly usesCwd: true; readonly changesCwd: false }
  | {
      readonly kind: 'listed'
      readonly reads: readonly Resource[]
      readonly writes: readonly Resource[]
      /** Whether a resource is relative to the working directory. */
      readonly usesCwd: boolean
      /** Whether the call may change the working directory of later calls. */
      readonly changesCwd: boolean
    }

export const WINDOWS_PATH = /^(?:[a-zA-Z]:[\\/]|\\\\)/

const UNDECLARED_EXCLUSIVE: DeclaredResources = {
  ...{ kind: 'everything', isExclusive: true, usesCwd: true, changesCwd: false },
}
const UNDECLARED_SHARED: DeclaredResources = { ...UNDECLARED_EXCLUSIVE, isExclusive: false }

/** The parts of a call that its resources depend on. */
interface SchedulableCall {
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly command?: CommandAnalysis | undefined
}

/** A call that declares nothing holds everything: shared if it is concurrency-safe, otherwise exclusively. */
export function declaredResourcesOf(
  { tool, input, command }: SchedulableCall,
  rule: SchedulingRule,
): DeclaredResources {
  const undeclaredClaims = isCallConcurrencySafe(tool, input, command) ? UNDECLARED_SHARED : UNDECLARED_EXCLUSIVE
  if (rule === 'base') return undeclaredClaims
  try {
    const resources = statedResources(tool, input, command)
    if (resources === undefined || resources.unknown === true) return undeclaredClaims
    return toListedResources(resources) ?? undeclaredClaims
  } catch {
    // A tool whose `resources` fails may use anything.
    return UNDECLARED_EXCLUSIVE
  }
}

/** A tool that lists neither reads nor writes has declared nothing. */
function toListedResources({ reads, writes }: ToolResources): DeclaredResources | undefined {
  if (reads === undefined && writes === undefined) return undefined
  const allResources = [...(reads ?? []), ...(writes ?? [])]
  return {
    kind: 'listed',
    reads: reads ?? [],
    writes: writes ?? [],
    usesCwd: allResources.some(
      (each) => isSameResource(each, SHELL_CWD) || (isPathResource(each) && isRelative(each.path)),
    ),
    changesCwd: writes?.some((each) => isSameResource(each, SHELL_CWD)) === true,
  }
}

function isRelative(path: string): boolean {
  return !path.startsWith('/') && !WINDOWS_PATH.test(path)
}
