import type { ToolDefinition } from '../contract/messages.js'
import type { Carrier } from './choose-carrier.js'

/** The tools of one agent's last request. */
export interface RequestTools {
  /** `inline` where nothing was deferred. */
  readonly carrier: Carrier | 'inline'
  readonly definitions: readonly ToolDefinition[]
}

/** What the next request is made from. */
export interface ToolsNow {
  /** Those of the pool, in its order. */
  readonly definitions: readonly ToolDefinition[]
  readonly carrier: Carrier | 'inline'
  isDeferred(name: string): boolean
  /** In the order of discovery; a tool that vanished since has its definition still. */
  readonly discovered: readonly ToolDefinition[]
  /** Those that a reference in the conversation loads: the native carrier marks them, and sends any other whole. */
  readonly referenced: ReadonlySet<string>
}

/**
 * The tools of the next request. While tools are deferred the list has its former self as its prefix, so that the
 * provider's cache holds: what vanished stays, what comes later is deferred whatever it is, and only discoveries are
 * added. The same object where nothing changed.
 */
export function nextRequestTools(before: RequestTools | undefined, now: ToolsNow): RequestTools {
  const { carrier } = now
  if (carrier === 'inline') return same(before, carrier, now.definitions)
  const kept = before === undefined ? firstTools(now) : keptTools(before, now)
  const names = new Set(kept.map(({ name }) => name))
  const added = now.discovered.filter(({ name }) => !names.has(name))
  if (added.length === 0) return same(before, carrier, kept)
  const isMarked = ({ name }: ToolDefinition) => carrier === 'native' && now.referenced.has(name)
  return same(before, carrier, [...kept, ...added.map((each) => withMark(each, isMarked(each)))])
}

function firstTools({ definitions, isDeferred }: ToolsNow): readonly ToolDefinition[] {
  return definitions.filter(({ name }) => !isDeferred(name))
}

/** What goes over from the request before, which another carrier may have sent. */
function keptTools(before: RequestTools, { carrier, isDeferred, referenced }: ToolsNow): readonly ToolDefinition[] {
  const { definitions } = before
  const isMarked = ({ name, defer_loading }: ToolDefinition) =>
    carrier === 'native' && referenced.has(name) && (defer_loading === true || isDeferred(name))
  const kept = definitions.map((each) => withMark(each, isMarked(each)))
  return kept.some((each, index) => each !== definitions[index]) ? kept : definitions
}

/** The same object where it is so already. */
function withMark(definition: ToolDefinition, isMarked: boolean): ToolDefinition {
  const { defer_loading, ...whole } = definition
  if (isMarked === (defer_loading === true)) return definition
  return isMarked ? { ...whole, defer_loading: true } : whole
}

function same(
  before: RequestTools | undefined,
  carrier: RequestTools['carrier'],
  definitions: readonly ToolDefinition[],
): RequestTools {
  if (before?.carrier === carrier && before.definitions === definitions) return before
  return { carrier, definitions: Object.freeze(definitions) }
}
