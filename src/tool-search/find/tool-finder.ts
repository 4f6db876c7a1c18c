import { normaliseMcpName, toMcpToolName } from '../../contract/mcp/name.js'
import { forEachInSlices, type Pacing } from '../../shared/for-each-in-slices.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { createToolIndex, loadLexicon, type SearchableTool, type ToolIndex } from '../rank/index.js'
import type { Lexicon } from '../rank/words/lexicon.js'
import { foldName, NameTable } from './name-table.js'
import { parseToolQuery, type ToolQuery } from './parse-tool-query.js'

/** Restricts a search to some of the tools. */
export interface SearchScope {
  /** Whether the tool can be found by its exact name. */
  isCallable(key: string): boolean
  /** Whether the tool can be found by keywords. */
  isSearched(key: string): boolean
}

export interface FoundKeys {
  /** The keys of the found tools, best first. */
  readonly keys: readonly string[]
  /** Requested names that do not exist, with similar names. */
  readonly missing: readonly MissingName[]
}

interface MissingName {
  readonly name: string
  readonly near: readonly string[]
}

const ALL_TOOLS: SearchScope = { isCallable: () => true, isSearched: () => true }

/** Finding similar names compares all names, so only the first few missing names get suggestions. */
const MAX_NAMES_WITH_SUGGESTIONS = 5

/** Finds tools by name and by keywords. The cost of adding a tool does not depend on the number of tools. */
export class ToolFinder {
  readonly #names = new NameTable()
  readonly #nameByKey = new Map<string, string>()
  readonly #index: ToolIndex

  constructor(lexicon: Lexicon) {
    this.#index = createToolIndex(lexicon)
  }

  /** Adds many tools without blocking the event loop. */
  addInSlices(tools: readonly SearchableTool[], pacing?: Pacing): Promise<void> {
    return forEachInSlices(tools, (tool) => this.add([tool]), pacing)
  }

  /** Removes many tools without blocking the event loop. Starts with the last keys: the index finds recent tools fastest. */
  removeInSlices(keys: readonly string[], pacing?: Pacing): Promise<void> {
    return forEachInSlices([...keys].reverse(), (key) => this.remove([key]), pacing)
  }

  add(tools: readonly SearchableTool[]): void {
    this.#index.add(tools)
    for (const tool of tools) {
      this.#names.add(tool.key, namesOf(tool))
      this.#nameByKey.set(tool.key, tool.name)
    }
  }

  remove(keys: readonly string[]): void {
    this.#index.remove(keys)
    for (const key of keys) {
      this.#names.remove(key)
      this.#nameByKey.delete(key)
    }
  }

  find(query: string, maxResults: number, scope: SearchScope = ALL_TOOLS): FoundKeys {
    const parsedQuery = parseToolQuery(query)
    // An exact name comes first, because it may look like any form of query.
    const exactKeys = this.#findKeysByName(query, scope.isCallable).slice(0, maxResults)
    if (parsedQuery.type === 'words')
      return { keys: this.#search(parsedQuery, exactKeys, maxResults, scope), missing: [] }
    return exactKeys.length > 0 ? { keys: exactKeys, missing: [] } : this.#select(parsedQuery.names, maxResults, scope)
  }

  /** Returns the servers with the most similar tools, for a query without a match. */
  findNearestServers(query: string, limit: number): readonly string[] {
    const parsedQuery = parseToolQuery(query)
    const text =
      parsedQuery.type === 'select'
        ? parsedQuery.names.join(' ')
        : [...parsedQuery.requiredWords, parsedQuery.text].join(' ')
    return this.#index.findNearestServers(text, limit)
  }

  /** Finds tools by exact names. Each name yields at most `maxResults` tools, even if more servers have such a tool. */
  #select(names: readonly string[], maxResults: number, { isCallable }: SearchScope): FoundKeys {
    const keys = new Set<string>()
    const missingNames: MissingName[] = []
    for (const name of names) {
      const foundKeys = this.#findKeysByName(name, isCallable).slice(0, maxResults)
      for (const key of foundKeys) keys.add(key)
      if (foundKeys.length > 0) continue
      missingNames.push({
        name,
        near: missingNames.length < MAX_NAMES_WITH_SUGGESTIONS ? this.#findSimilarNames(name, isCallable) : [],
      })
    }
    return { keys: [...keys], missing: missingNames }
  }

  /**
   * Returns the tools with this name or alias. A tool's own name takes precedence over aliases, so that an alias cannot shadow
   * another tool.
   */
  #findKeysByName(name: string, accept: (key: string) => boolean): readonly string[] {
    const keys = this.#names.findKeysByName(name).filter(accept)
    const foldedName = foldName(name)
    const exactKeys = keys.filter((key) => foldName(this.#nameByKey.get(key) ?? '') === foldedName)
    return exactKeys.length > 0 ? exactKeys : keys
  }

  #findSimilarNames(name: string, isCallable: SearchScope['isCallable']): readonly string[] {
    const similarKeys = findNearestNames(name, this.#names.names(), 10).flatMap((similarName) =>
      this.#findKeysByName(similarName, isCallable),
    )
    return [...new Set(similarKeys.map((key) => this.#nameByKey.get(key) ?? ''))].slice(0, 3)
  }

  /** Returns the tools with exactly this name, then tools whose name starts with the query, then keyword matches. */
  #search(
    { text, requiredWords }: ToolQuery & { type: 'words' },
    exactKeys: readonly string[],
    maxResults: number,
    scope: SearchScope,
  ): string[] {
    const hasRequiredWords = (key: string) => this.#names.contains(key, requiredWords)
    const isSearched = (key: string) => scope.isSearched(key) && hasRequiredWords(key)
    const searchText = text === '' ? requiredWords.join(' ') : text
    const foundKeys = new Set([
      ...exactKeys,
      ...this.#findKeysByName(searchText, (key) => scope.isCallable(key) && hasRequiredWords(key)),
    ])
    const rank = (words: string, accept: (key: string) => boolean) => {
      if (foundKeys.size >= maxResults) return
      for (const { key } of this.#index.search(words, maxResults, accept)) foundKeys.add(key)
    }
    const prefixMatches = new Set(this.#names.findKeysByPrefix(searchText).filter(isSearched))
    if (prefixMatches.size > 0) rank(searchText, (key) => prefixMatches.has(key))
    for (const key of prefixMatches) foundKeys.add(key)
    rank(searchText, isSearched)
    // A required word such as a server name finds its tools even if the other words match none of them.
    if (requiredWords.length > 0) this.#addRemaining(foundKeys, maxResults, isSearched)
    return [...foundKeys].slice(0, maxResults)
  }

  #addRemaining(foundKeys: Set<string>, maxResults: number, isSearched: (key: string) => boolean): void {
    for (const key of this.#names.keys()) {
      if (foundKeys.size >= maxResults) return
      if (isSearched(key)) foundKeys.add(key)
    }
  }
}

/** Creates a finder without tools. Loads the lexicon if no earlier call has loaded it. */
export async function createToolFinder(): Promise<ToolFinder> {
  return new ToolFinder(await loadLexicon())
}

/**
 * Returns the names of a tool. A server's tool is found by its name on the server and by its full MCP name, whichever of them
 * the pool uses.
 */
function namesOf({ name, server, aliases = [] }: SearchableTool): readonly string[] {
  const ownNames = [name, ...aliases]
  if (server === undefined) return ownNames
  const prefix = toMcpToolName(normaliseMcpName(server), '')
  const fullNames = ownNames.filter((ownName) => ownName.startsWith(prefix))
  if (fullNames.length > 0) return [...ownNames, ...fullNames.map((fullName) => fullName.slice(prefix.length))]
  return [...ownNames, toMcpToolName(server, name), prefix + normaliseMcpName(name)]
}
