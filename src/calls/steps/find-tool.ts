import { ToolCallError } from '../../contract/errors.js'
import { findToolByName, isMcpTool } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { takeHead } from '../../results/preview.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import type { Call, KnownCall } from '../call.js'
import type { ToolDirectory } from '../call-environment.js'

declare const foundBrand: unique symbol

/** A call whose tool is known. The input is still as the model sent it. */
export interface FoundCall {
  readonly [foundBrand]: true
  readonly call: Call
  readonly tool: Tool
  readonly input: unknown
}

/** Finds the tool by name or alias, and waits for it if its MCP server is still starting. */
export function findTool(call: Call): MaybePromise<FoundCall> {
  const { environment, toolUse } = call
  try {
    return lookUpTool(call)
  } catch (error) {
    const pendingServer = environment.awaitTool?.(toolUse.name)
    if (pendingServer === undefined) throw error
    return pendingServer.then(() => lookUpTool(call))
  }
}

/** Finds the tool of a nested call. It may be hidden from the model, but must be the same object that the host has. */
export function findNestedTool(call: Call, tool: Tool, isUsable: (tool: Tool) => boolean): FoundCall {
  const { absentTools } = call.environment.directory()
  if (absentTools?.includes(tool) === true && isUsable(tool)) return toFoundCall(call, tool, call.toolUse.input)
  const result = lookUpTool(call)
  if (result.tool === tool) return result
  throw new ToolCallError('unknown_tool', `The given tool ${call.toolName} is not the registered tool of that name.`)
}

/** Returns the same call with another input. */
export function withInput({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, input: unknown): FoundCall {
  return { call, tool, input } as FoundCall
}

function lookUpTool(call: Call): FoundCall {
  const { name, input } = call.toolUse
  const directory = call.environment.directory()
  const foreignCall =
    findToolByName(directory.tools, name) === undefined ? convertForeignCall(call, directory) : undefined
  if (foreignCall === undefined) return toFoundCall(call, findInDirectory(name, directory), input)
  const { tool, input: convertedInput } = foreignCall
  const shownInput = takeHead(JSON.stringify(convertedInput), MAX_SHOWN_INPUT_LENGTH)
  call.inputChanges = [`There is no tool ${name}; this call ran as ${tool.name} with ${shownInput}.`]
  return toFoundCall(call, tool, convertedInput)
}

const MAX_SHOWN_INPUT_LENGTH = 300

/**
 * Finds the tool that does what a similar tool of another agent does, which the model knows by `name`. From then on, the call is
 * one of the found tool: its rules, hooks and checks apply. Tools of MCP servers cannot take over such names.
 */
function convertForeignCall({ toolUse: { name, input } }: Call, { tools }: ToolDirectory) {
  if (!isRecord(input)) return undefined
  for (const tool of tools) {
    const { foreignNames } = tool
    if (foreignNames === undefined || isMcpTool(tool) || !Object.hasOwn(foreignNames, name)) continue
    const convertedInput = foreignNames[name]?.(input)
    if (convertedInput !== undefined) return { tool, input: convertedInput }
  }
  return undefined
}

/** Finds a tool by name or alias. Throws an error that names the likely candidates. */
export function findInDirectory(name: string, directory: ToolDirectory): Tool {
  const tool = findToolByName(directory.tools, name)
  if (tool !== undefined) return tool
  throw new ToolCallError('unknown_tool', describeUnknownTool(String(name ?? ''), directory))
}

function toFoundCall(call: Call, tool: Tool, input: unknown): FoundCall {
  call.tool = tool
  return withInput({ call, tool }, input)
}

/** Longer names are truncated in the error, because the model can send any string as a name. */
const MAX_SHOWN_NAME_LENGTH = 100

/** Returns the error for an unknown name: why the tool is missing, or the names that may have been meant. */
function describeUnknownTool(name: string, directory: ToolDirectory): string {
  const { tools, absentTools = [], wasSent, searchAdvice = 'find one with ToolSearch' } = directory
  const absentTool = findToolByName(absentTools, name)
  if (absentTool !== undefined)
    return `The tool ${absentTool.name} exists, but it is switched off or denied here. Work without it.`
  if (wasSent?.(name) === true)
    return `The tool ${name} is no longer available: its server disconnected, or it was switched off or denied. Work without it, or find another with ToolSearch.`
  const similarNames = findSimilarNames(name, tools)
  const quotedName = JSON.stringify(cutText(name, MAX_SHOWN_NAME_LENGTH))
  if (similarNames.length > 0)
    return `There is no tool ${quotedName}. Did you mean ${similarNames.join(' or ')}?${formatDeferredHint(similarNames, directory)}`
  return `There is no tool ${quotedName}. Use one of the tools you were given, or ${searchAdvice}.`
}

const MAX_PREFIXED_NAMES = 3

/**
 * Returns the names that may have been meant. Models tend to omit the server prefix of an MCP tool, or misspell a letter or
 * two.
 */
function findSimilarNames(name: string, tools: Tools): readonly string[] {
  const names = tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])])
  const prefixedNames = name === '' ? [] : names.filter((each) => each.endsWith(`__${name}`))
  return prefixedNames.length > 0 ? prefixedNames.slice(0, MAX_PREFIXED_NAMES) : findNearestNames(name, names)
}

function formatDeferredHint([nearest = '']: readonly string[], directory: ToolDirectory): string {
  const tool = findToolByName(directory.tools, nearest)
  if (tool === undefined || directory.isSchemaSent?.(tool) !== false) return ''
  return ` ${tool.name} is deferred. ${formatLoadHint(tool.name)}`
}

/** Returns the hint for the model on how to load the schema of a deferred tool. */
export function formatLoadHint(toolName: string): string {
  return `Load it first with ToolSearch, query "select:${toolName}", then call again.`
}
