import { findToolByName } from '../../../contract/tool/identity.js'
import type { Tools } from '../../../contract/tool/tool.js'
import type { FoundTool, PoolTool } from '../../../inspector/workbench.js'
import { createToolFinder } from '../../../tool-search/find/tool-finder.js'
import { createToolIndex, loadLexicon, type SearchableTool } from '../../../tool-search/rank/index.js'

const MAX_RESULTS = 12

/** Searches the tools as ToolSearch does, and adds the scores and the words that match. */
export async function searchPool(
  poolTools: readonly PoolTool[],
  pool: Tools,
  query: string,
): Promise<readonly FoundTool[]> {
  const entries = poolTools.map(({ definition, server }): SearchableTool => {
    const { searchHint, aliases } = findToolByName(pool, definition.name) ?? {}
    return {
      ...{ key: definition.name, name: definition.name, description: definition.description },
      inputSchema: definition.input_schema,
      ...(searchHint !== undefined && { searchHint }),
      ...(aliases !== undefined && { aliases }),
      ...(server !== undefined && { server, isMcp: true }),
    }
  })
  const finder = await createToolFinder()
  finder.add(entries)
  const index = createToolIndex(await loadLexicon())
  index.add(entries)
  const scores = new Map(index.search(query, entries.length).map(({ key, score }) => [key, score]))
  const entriesByKey = new Map(entries.map((entry) => [entry.key, entry]))
  return finder.find(query, MAX_RESULTS).keys.flatMap((key): readonly FoundTool[] => {
    const entry = entriesByKey.get(key)
    if (entry === undefined) return []
    const [description = ''] = (entry.searchHint ?? entry.description).split('\n')
    return [{ name: entry.name, description, score: scores.get(key), reasons: explainMatch(entry, query) }]
  })
}

/** Lists the words of the query that the texts of a tool contain. Synonyms and typing errors also match, without a reason. */
function explainMatch({ name, searchHint = '', description, inputSchema }: SearchableTool, query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const texts = { name, hint: searchHint, description, parameters: JSON.stringify(inputSchema ?? '') }
  const reasons = Object.entries(texts).flatMap(([label, text]) => {
    const foundWords = words.filter((word) => text.toLowerCase().includes(word))
    return foundWords.length === 0 ? [] : [`${label}: ${foundWords.join(', ')}`]
  })
  return reasons.length === 0 ? ['similar words'] : reasons
}
