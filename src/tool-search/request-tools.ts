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
  /** Discovered tools that no reference in the conversation loads: in the native carrier they are sent whole. */
  readonly unreferenced: ReadonlySet<string>
}

/**
 * The tools of the next request. While tools are deferred the list has its former self as its prefix, so that the
 * provider's cache holds: what vanished stays, what comes later is deferred whatever it is, and in the portable carrier
 * only discoveries are added. The same object where nothing changed.
 */
export function nextRequestTools(before: RequestTools | undefined, now: ToolsNow): RequestTools {
  const { carrier } = now
  if (carrier === 'inline') return same(before, carrier, now.definitions)
  const kept = before === undefined ? firstTools(now) : keptTools(before, now)
  const names = new Set(kept.map(({ name }) => name))
  const added: ToolDefinition[] = []
  const candidates = carrier === 'native' ? [...now.definitions, ...now.discovered] : now.discovered
  for (const definition of candidates) {
    if (names.has(definition.name)) continue
    names.add(definition.name)
    added.push(carrier === 'native' ? marked(definition, now) : definition)
  }
  return same(before, carrier, added.length === 0 ? kept : [...kept, ...added])
}

function firstTools(now: ToolsNow): readonly ToolDefinition[] {
  const { definitions, carrier } = now
  if (carrier === 'portable') return definitions.filter(({ name }) => !now.isDeferred(name))
  return definitions.map((definition) => (now.isDeferred(definition.name) ? marked(definition, now) : definition))
}

/** What goes over from the request before, which another carrier may have sent. */
function keptTools(before: RequestTools, { carrier, unreferenced }: ToolsNow): readonly ToolDefinition[] {
  const { definitions } = before
  if (carrier === 'portable') {
    return before.carrier === 'native' ? definitions.filter((each) => each.defer_loading !== true) : definitions
  }
  const loses = (each: ToolDefinition) => each.defer_loading === true && unreferenced.has(each.name)
  return definitions.some(loses) ? definitions.map((each) => (loses(each) ? whole(each) : each)) : definitions
}

function marked(definition: ToolDefinition, { unreferenced }: ToolsNow): ToolDefinition {
  return unreferenced.has(definition.name) ? definition : { ...definition, defer_loading: true }
}

function whole({ defer_loading: _, ...definition }: ToolDefinition): ToolDefinition {
  return definition
}

function same(
  before: RequestTools | undefined,
  carrier: RequestTools['carrier'],
  definitions: readonly ToolDefinition[],
): RequestTools {
  if (before?.carrier === carrier && before.definitions === definitions) return before
  return { carrier, definitions: Object.freeze(definitions) }
}
