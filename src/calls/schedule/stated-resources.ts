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

/** `base` looks only at whether a call is concurrency-safe, `resources` also at what it says it touches. */
export type SchedulingRule = 'base' | 'resources'

/** What a call says about itself, in its own words. */
export type Statement =
  | { readonly kind: 'everything'; readonly isExclusive: boolean; readonly usesCwd: true; readonly movesCwd: false }
  | {
      readonly kind: 'listed'
      readonly reads: readonly Resource[]
      readonly writes: readonly Resource[]
      /** It names something from the working folder, so that it matters which that is. */
      readonly usesCwd: boolean
      /** Later calls may find themselves in another working folder. */
      readonly movesCwd: boolean
    }

export const WINDOWS_PATH = /^(?:[a-zA-Z]:[\\/]|\\\\)/

const ALONE: Statement = { kind: 'everything', isExclusive: true, usesCwd: true, movesCwd: false }
const SHARING: Statement = { kind: 'everything', isExclusive: false, usesCwd: true, movesCwd: false }

/** A call that states nothing holds everything: shared if it is concurrency-safe, alone if not. */
export function statementOf(
  { tool, input }: { readonly tool: Tool; readonly input: Record<string, unknown> },
  rule: SchedulingRule,
): Statement {
  const unstated = isCallConcurrencySafe(tool, input) ? SHARING : ALONE
  if (rule === 'base') return unstated
  try {
    const resources = statedResources(tool, input)
    if (resources === undefined || resources.unknown === true) return unstated
    return listed(resources) ?? unstated
  } catch {
    // A tool that cannot say what it touches may touch anything.
    return ALONE
  }
}

/** Returns undefined when the tool gave neither list. */
function listed({ reads, writes }: ToolResources): Statement | undefined {
  if (reads === undefined && writes === undefined) return undefined
  const all = [...(reads ?? []), ...(writes ?? [])]
  return {
    kind: 'listed',
    reads: reads ?? [],
    writes: writes ?? [],
    usesCwd: all.some((each) => isSameResource(each, SHELL_CWD) || (isPathResource(each) && isRelative(each.path))),
    movesCwd: writes?.some((each) => isSameResource(each, SHELL_CWD)) === true,
  }
}

function isRelative(path: string): boolean {
  return !path.startsWith('/') && !WINDOWS_PATH.test(path)
}
