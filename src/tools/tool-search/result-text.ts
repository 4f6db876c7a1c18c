import { displayServerNames } from '../../contract/mcp/name.js'
import type { ToolDefinition, ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import type { CatalogAnswer } from '../../contract/ports/catalog.js'
import { formatFunctionsBlock } from '../../contract/tool/deferred-tools.js'
import { quote } from '../../shared/quote.js'

/** The answer of the catalogue, with the query and the definitions that were loaded. */
export interface SearchOutput extends CatalogAnswer {
  readonly query: string
  readonly definitions: readonly ToolDefinition[]
}

/** Returns the definitions for the model: as references if the provider loads them, otherwise as text. Notes follow. */
export function createResultBlock(searchOutput: SearchOutput, toolUseId: string): ToolResultBlock {
  const references = searchOutput.definitions.filter(({ defer_loading }) => defer_loading === true)
  const text = formatFoundTools(searchOutput)
  if (references.length === 0) return { type: 'tool_result', tool_use_id: toolUseId, content: text }
  const content: ToolResultContent[] = references.map(({ name }) => ({ type: 'tool_reference', tool_name: name }))
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: text === '' ? content : [...content, { type: 'text', text }],
  }
}

function formatFoundTools(searchOutput: SearchOutput): string {
  const fullDefinitions = searchOutput.definitions.filter(({ defer_loading }) => defer_loading !== true)
  return [
    ...(fullDefinitions.length === 0 ? [] : [formatFunctionsBlock(fullDefinitions)]),
    ...searchOutput.missing.map(formatMissing),
    ...(searchOutput.names.length === 0 && searchOutput.missing.length === 0 ? [describeNoMatch(searchOutput)] : []),
    ...describePending(searchOutput),
  ].join('\n')
}

function formatMissing({ name, near }: SearchOutput['missing'][number]): string {
  const advice = near.length === 0 ? 'Search for it by words.' : `Did you mean ${near.join(' or ')}?`
  return `Unknown tool ${quote(name)}. ${advice}`
}

function describeNoMatch({ query, nearestServers }: SearchOutput): string {
  const advice =
    nearestServers.length === 0
      ? 'Try other words, or work without it.'
      : `The closest servers are ${displayServerNames(nearestServers)}: try "+" and one of these names, or other words.`
  return `No deferred tool matches ${quote(query)}. ${advice}`
}

function describePending({ pendingServers, names, missing }: SearchOutput): readonly string[] {
  if (pendingServers.length === 0 || (names.length > 0 && missing.length === 0)) return []
  return [`Still connecting: ${displayServerNames(pendingServers)}. Search again later for their tools.`]
}
