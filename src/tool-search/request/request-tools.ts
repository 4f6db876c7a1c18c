import type { ToolDefinition } from '../../contract/messages.js'
import type { Carrier } from './choose-carrier.js'

/**
 * Marked in every native request: with the first tool that has the mark a provider changes the hidden beginning of the
 * prompt, and that must not wait for the first discovery. No reference loads it, so that the model never sees it.
 */
export const DEFERRED_PLACEHOLDER: ToolDefinition = Object.freeze({
  name: 'haft_deferred_tools',
  description: 'Stands for the deferred tools, and cannot be called.',
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
})

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
  const isMarked = ({ name }: ToolDefinition) => carrier === 'native' && now.referenced.has(name)
  const found = now.discovered.map((each) => withMark(each, isMarked(each)))
  const candidates = carrier === 'native' ? [DEFERRED_PLACEHOLDER, ...found] : found
  const added = candidates.filter(({ name }) => !names.has(name))
  return same(before, carrier, added.length === 0 ? kept : [...kept, ...added])
}

function firstTools({ definitions, isDeferred }: ToolsNow): readonly ToolDefinition[] {
  return definitions.filter(({ name }) => !isDeferred(name))
}

/** What goes over from the request before, which another carrier may have sent. */
function keptTools(before: RequestTools, { carrier, isDeferred, referenced }: ToolsNow): readonly ToolDefinition[] {
  const { definitions } = before
  const isNative = carrier === 'native'
  const kept = definitions.flatMap((each) => {
    if (isPlaceholder(each)) return isNative ? [each] : []
    const mayBeMarked = each.defer_loading === true || isDeferred(each.name)
    return [withMark(each, isNative && mayBeMarked && referenced.has(each.name))]
  })
  const isSame = kept.length === definitions.length && kept.every((each, index) => each === definitions[index])
  return isSame ? definitions : kept
}

export function isPlaceholder({ name }: ToolDefinition): boolean {
  return name === DEFERRED_PLACEHOLDER.name
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
