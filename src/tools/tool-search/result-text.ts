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
    ...formatDefinitions(fullDefinitions),
    ...searchOutput.missing.map(formatMissing),
    ...(searchOutput.names.length === 0 && searchOutput.missing.length === 0 ? [describeNoMatch(searchOutput)] : []),
    ...describePending(searchOutput),
  ].join('\n')
}

/** The limit for all definitions of one answer. It leaves room for names and notes within the limit of a result. */
const MAX_DEFINITIONS_CHARS = 80_000

/** Returns the definitions as far as they fit, best first, and the names of the others. */
function formatDefinitions(definitions: readonly ToolDefinition[]): readonly string[] {
  let remainingChars = MAX_DEFINITIONS_CHARS
  const fits = (definition: ToolDefinition): boolean => {
    const chars = formatFunctionsBlock([definition]).length
    if (chars > remainingChars) return false
    remainingChars -= chars
    return true
  }
  const fittingDefinitions = definitions.filter(fits)
  const otherNames = definitions
    .filter((definition) => !fittingDefinitions.includes(definition))
    .map(({ name }) => name)
  return [
    ...(fittingDefinitions.length === 0 ? [] : [formatFunctionsBlock(fittingDefinitions)]),
    ...(otherNames.length === 0
      ? []
      : [
          `Also found, but their definitions do not fit into this answer: ${otherNames.join(', ')}. To see one, search for it alone, as in "select:${otherNames[0]}". A definition that does not fit even then has more than ${MAX_DEFINITIONS_CHARS} characters.`,
        ]),
  ]
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
