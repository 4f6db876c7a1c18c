import type { ToolResources } from '../../contract/tool.js'
import { isCallConcurrencySafe } from '../../contract/tool-traits.js'
import type { ParsedCall } from '../call-states.js'

/** `base` looks only at whether a call is concurrency-safe, `resources` also at what it says it touches. */
export type SchedulingRule = 'base' | 'resources'

/** What a call says about itself, in its own words. */
export type Statement =
  | { readonly kind: 'everything'; readonly isExclusive: boolean; readonly usesCwd: true; readonly movesCwd: false }
  | {
      readonly kind: 'listed'
      readonly reads: readonly string[]
      readonly writes: readonly string[]
      /** It names something from the working folder, so that it matters which that is. */
      readonly usesCwd: boolean
      /** Later calls may find themselves in another working folder. */
      readonly movesCwd: boolean
    }

/** The working folder as a thing that commands read and change. */
const SHELL_CWD = 'shell:cwd'

export const NAMED_THING = /^[a-zA-Z][\w-]+:(?![\\/])/
export const WINDOWS_PATH = /^(?:[a-zA-Z]:[\\/]|\\\\)/

const ALONE: Statement = { kind: 'everything', isExclusive: true, usesCwd: true, movesCwd: false }
const SHARING: Statement = { kind: 'everything', isExclusive: false, usesCwd: true, movesCwd: false }

/** Asks the tool. A call that states nothing holds everything: shared if it is safe, alone if not. */
export function statedResources({ tool, input }: Pick<ParsedCall, 'tool' | 'input'>, rule: SchedulingRule): Statement {
  const unstated = isCallConcurrencySafe(tool, input) ? SHARING : ALONE
  if (rule === 'base' || tool.resources === undefined) return unstated
  try {
    const resources: ToolResources | Promise<unknown> = tool.resources(input)
    if (resources instanceof Promise) return unanswered(resources)
    if (resources.unknown === true) return unstated
    return listed(resources, () => tool.getPath?.(input)) ?? unstated
  } catch {
    // A tool that cannot say what it touches may touch anything.
    return ALONE
  }
}

/** An answer that comes later is none, and its failure must not end the process. */
function unanswered(late: Promise<unknown>): Statement {
  late.catch(() => {})
  return ALONE
}

/** Undefined where neither list is there; a wrong list throws, because half a statement is none. */
function listed({ reads, writes }: ToolResources, pathOf: () => string | undefined): Statement | undefined {
  if (reads === undefined && writes === undefined) return undefined
  const read = names(reads, pathOf)
  const written = names(writes, pathOf)
  const all = [...read, ...written]
  return {
    kind: 'listed',
    reads: read,
    writes: written,
    usesCwd: all.some((name) => name === SHELL_CWD || isRelative(name)),
    movesCwd: written.includes(SHELL_CWD),
  }
}

const NONE: readonly string[] = []

function names(list: unknown, pathOf: () => string | undefined): readonly string[] {
  if (list === undefined) return NONE
  if (!Array.isArray(list) || list.some((name) => typeof name !== 'string')) throw new TypeError('no list of names')
  return list.some((name) => NAMED_THING.test(name)) ? list.map((name) => asPath(name, pathOf())) : list
}

/** A file may be called `todo:list`, too: it is one where the call is about that path. */
function asPath(name: string, path: string | undefined): string {
  return name === path && NAMED_THING.test(name) ? `./${name}` : name
}

function isRelative(name: string): boolean {
  return !name.startsWith('/') && !WINDOWS_PATH.test(name) && !NAMED_THING.test(name)
}
