import { ToolCallError } from '../../contract/errors.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { nearestNames } from '../../shared/nearest-names.js'
import { enter, type FoundCall, type RequestedCall } from '../call-states.js'
import { loadHint } from './load-hint.js'

/** Where calls look for their tool. */
export interface ToolDirectory {
  /** The pool: what can be called. */
  readonly tools: Tools
  /** Tools that exist and are switched off or denied here, so that the model learns why it cannot have them. */
  readonly absentTools?: Tools
  /** Whether the model was told of a tool by this name, which may be gone with its server. */
  readonly wasSent?: (name: string) => boolean
  /** Whether the model has seen the schema of a tool. */
  readonly isSchemaSent?: (tool: Tool) => boolean
}

/** A name may be anything that a model sent. */
const MAX_SHOWN_LENGTH = 100

/** Finds the tool by name or alias; an unknown name is answered with those it may have been meant for. */
export function findTool(request: RequestedCall, directory: ToolDirectory): FoundCall {
  const { toolUse, parentMessage } = request
  const tool = toolsByName(directory.tools).get(toolUse.name)
  if (tool !== undefined) return enter<FoundCall>({ toolUse, parentMessage, tool })
  throw new ToolCallError('unknown_tool', unknownTool(String(toolUse.name ?? ''), directory))
}

function unknownTool(name: string, directory: ToolDirectory): string {
  const { tools, absentTools = [], wasSent } = directory
  const absent = findToolByName(absentTools, name)
  if (absent !== undefined)
    return `The tool ${absent.name} exists, but it is switched off or denied here. Work without it.`
  if (wasSent?.(name) === true)
    return `The tool ${name} is no longer there: its server went away, or it was switched off or denied. Work without it, or look for another with ToolSearch.`
  const near = nearNames(name, tools)
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN_LENGTH))
  if (near.length > 0)
    return `There is no tool ${shown}. Did you mean ${near.join(' or ')}?${deferredNote(near, directory)}`
  return `There is no tool ${shown}. Use one of the tools you were given, or find one with ToolSearch.`
}

/** Models leave out the prefix of a server's tool; else they slip in a letter or two. */
function nearNames(name: string, tools: Tools): readonly string[] {
  const known = tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])])
  const prefixed = name === '' ? [] : known.filter((each) => each.endsWith(`__${name}`))
  return prefixed.length > 0 ? prefixed.slice(0, MOST_PREFIXED) : nearestNames(name, known)
}

const MOST_PREFIXED = 3

function deferredNote([nearest = '']: readonly string[], { tools, isSchemaSent }: ToolDirectory): string {
  const tool = findToolByName(tools, nearest)
  if (tool === undefined || isSchemaSent?.(tool) !== false) return ''
  return ` ${tool.name} is deferred. ${loadHint(tool.name)}`
}

const indexes = new WeakMap<Tools, ReadonlyMap<string, Tool>>()

/** Pools are immutable, so that each is indexed once; a name beats an alias. */
function toolsByName(tools: Tools): ReadonlyMap<string, Tool> {
  const known = indexes.get(tools)
  if (known !== undefined) return known
  const byName = new Map<string, Tool>()
  for (const tool of tools) for (const alias of tool.aliases ?? []) if (!byName.has(alias)) byName.set(alias, tool)
  const named = new Set<string>()
  for (const tool of tools) {
    if (named.has(tool.name)) continue
    named.add(tool.name)
    byName.set(tool.name, tool)
  }
  if (Object.isFrozen(tools)) indexes.set(tools, byName)
  return byName
}
