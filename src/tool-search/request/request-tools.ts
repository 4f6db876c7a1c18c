import type { ToolDefinition } from '../../contract/messages.js'
import type { Carrier } from './choose-carrier.js'

/**
 * Part of every request with the native carrier. The first tool with `defer_loading` makes the provider change the hidden
 * start of the prompt. Without this placeholder, that would invalidate the cache at the first discovery. No reference loads
 * the placeholder, so the model never receives it.
 */
export const DEFERRED_PLACEHOLDER: ToolDefinition = Object.freeze({
  name: 'haft_deferred_tools',
  description: 'Placeholder for deferred tools; cannot be called.',
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
})

/** The tools of one agent's last request. */
export interface RequestTools {
  /** `inline` if nothing was deferred. */
  readonly carrier: Carrier | 'inline'
  readonly definitions: readonly ToolDefinition[]
}

/** The inputs for the tools of the next request. */
export interface CurrentTools {
  /** The definitions of the pool, in pool order. */
  readonly definitions: readonly ToolDefinition[]
  readonly carrier: Carrier | 'inline'
  isDeferred(name: string): boolean
  /** The definitions of discovered tools, in order of discovery, including those of tools that have disappeared since. */
  readonly discovered: readonly ToolDefinition[]
  /** Tools that a reference in the conversation loads. The native carrier defers these and sends all others in full. */
  readonly referenced: ReadonlySet<string>
}

/**
 * Returns the tools of the next request. While tools are deferred, each list starts with the previous one, which keeps the
 * provider's cache valid: tools that disappeared stay, new tools are always deferred, and only discovered tools are added.
 * Returns the same object if nothing changed.
 */
export function selectRequestTools(previous: RequestTools | undefined, currentTools: CurrentTools): RequestTools {
  const { carrier } = currentTools
  if (carrier === 'inline') return reuseIfSame(previous, carrier, currentTools.definitions)
  const baseTools =
    previous === undefined ? createInitialTools(currentTools) : convertPreviousTools(previous, currentTools)
  const names = new Set(baseTools.map(({ name }) => name))
  const isDeferredByProvider = ({ name }: ToolDefinition) => carrier === 'native' && currentTools.referenced.has(name)
  const discoveredTools = currentTools.discovered.map((definition) =>
    withDeferLoading(definition, isDeferredByProvider(definition)),
  )
  const candidates = carrier === 'native' ? [DEFERRED_PLACEHOLDER, ...discoveredTools] : discoveredTools
  const addedTools = candidates.filter(({ name }) => !names.has(name))
  return reuseIfSame(previous, carrier, addedTools.length === 0 ? baseTools : [...baseTools, ...addedTools])
}

function createInitialTools({ definitions, isDeferred }: CurrentTools): readonly ToolDefinition[] {
  return definitions.filter(({ name }) => !isDeferred(name))
}

/** Converts the tools of the previous request, which may have used another carrier, to the current carrier. */
function convertPreviousTools(
  previous: RequestTools,
  { carrier, isDeferred, referenced }: CurrentTools,
): readonly ToolDefinition[] {
  const { definitions } = previous
  const isNative = carrier === 'native'
  const convertedDefinitions = definitions.flatMap((definition) => {
    if (isPlaceholder(definition)) return isNative ? [definition] : []
    const canBeDeferred = definition.defer_loading === true || isDeferred(definition.name)
    return [withDeferLoading(definition, isNative && canBeDeferred && referenced.has(definition.name))]
  })
  const isSame =
    convertedDefinitions.length === definitions.length &&
    convertedDefinitions.every((definition, index) => definition === definitions[index])
  return isSame ? definitions : convertedDefinitions
}

export function isPlaceholder({ name }: ToolDefinition): boolean {
  return name === DEFERRED_PLACEHOLDER.name
}

/** Sets or removes `defer_loading`. Returns the same object if nothing changes. */
function withDeferLoading(definition: ToolDefinition, isDeferredByProvider: boolean): ToolDefinition {
  const { defer_loading, ...undeferredDefinition } = definition
  if (isDeferredByProvider === (defer_loading === true)) return definition
  return isDeferredByProvider ? { ...undeferredDefinition, defer_loading: true } : undeferredDefinition
}

function reuseIfSame(
  previous: RequestTools | undefined,
  carrier: RequestTools['carrier'],
  definitions: readonly ToolDefinition[],
): RequestTools {
  if (previous?.carrier === carrier && previous.definitions === definitions) return previous
  return { carrier, definitions: Object.freeze(definitions) }
}
