import { posix, win32 } from 'node:path'
import type { ToolResources } from '../contract/tool.js'
import { isCallConcurrencySafe } from '../contract/tool-traits.js'
import type { ParsedCall } from '../execution/call-states.js'

/** What a call holds while it runs. */
export type Claims =
  | { readonly kind: 'everything'; readonly isExclusive: boolean }
  | { readonly kind: 'listed'; readonly reads: readonly string[]; readonly writes: readonly string[] }

export interface ClaimOptions {
  /** `base` looks only at whether a call is concurrency-safe, `resources` also at what it says it touches. */
  readonly rule: 'base' | 'resources'
  readonly cwd: string
  /** One name for a file that can be reached by several, through links or letter case. */
  readonly identify?: (path: string) => string
}

export const EXCLUSIVE: Claims = { kind: 'everything', isExclusive: true }
export const SHARED: Claims = { kind: 'everything', isExclusive: false }

/** What a call that states nothing holds: all of it shared if it is safe, all of it alone if not. */
export function claimsOf({ tool, input }: Pick<ParsedCall, 'tool' | 'input'>, options: ClaimOptions): Claims {
  const unstated = isCallConcurrencySafe(tool, input) ? SHARED : EXCLUSIVE
  if (options.rule === 'base' || tool.resources === undefined) return unstated
  try {
    const resources = tool.resources(input)
    return resources.unknown === true ? unstated : listed(resources, options)
  } catch {
    // A tool that cannot say what it touches may touch anything.
    return EXCLUSIVE
  }
}

function listed({ reads = [], writes = [] }: ToolResources, options: ClaimOptions): Claims {
  return {
    kind: 'listed',
    reads: reads.flatMap((name) => keysOf(name, options)),
    writes: writes.flatMap((name) => keysOf(name, options)),
  }
}

const NAMED = /^[a-zA-Z][\w-]+:(?![\\/])/

/** A path by its one name, the root as no text at all; `todo:list` is a thing and could be a file, so that it counts as both. */
function keysOf(name: string, { cwd, identify }: ClaimOptions): readonly string[] {
  const paths = cwd.includes('\\') ? win32 : posix
  const absolute = paths.resolve(cwd, name)
  const path = (identify?.(absolute) ?? absolute).replaceAll('\\', '/').replace(/\/+$/, '')
  return NAMED.test(name) ? [name, path] : [path]
}

/** Whether the second claims hold something that the first do not. */
export function areGrown(before: Claims, after: Claims): boolean {
  if (before.kind === 'everything')
    return after.kind === 'everything'
      ? after.isExclusive && !before.isExclusive
      : !before.isExclusive && after.writes.length > 0
  if (after.kind === 'everything') return true
  const held = new Set([...before.reads, ...before.writes])
  const written = new Set(before.writes)
  return after.reads.some((key) => !held.has(key)) || after.writes.some((key) => !written.has(key))
}
