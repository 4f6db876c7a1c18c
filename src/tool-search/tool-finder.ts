import { mcpToolName, normaliseMcpName } from '../contract/mcp-name.js'
import { nearestNames } from '../shared/nearest-names.js'
import { foldName, NameTable } from './name-table.js'
import { parseToolQuery, type ToolQuery } from './parse-tool-query.js'
import { createToolIndex, type SearchableTool } from './rank/index.js'

/** Which of the tools a search is over. */
export interface SearchScope {
  /** Can be asked for by its exact name. */
  isCallable(key: string): boolean
  /** Is looked for by words. */
  isSearched(key: string): boolean
}

export interface FoundKeys {
  /** Best first. */
  readonly keys: readonly string[]
  /** Names that were asked for and are not there, with those they may have been meant for. */
  readonly missing: readonly MissingName[]
}

interface MissingName {
  readonly name: string
  readonly near: readonly string[]
}

const EVERYTHING: SearchScope = { isCallable: () => true, isSearched: () => true }

/** Looking for what a name was meant for takes a look at every name. */
const MOST_ADVISED = 5

/** Finds tools by every form of query. It grows and shrinks with the tools, for what each of them costs. */
export class ToolFinder {
  readonly #names = new NameTable()
  readonly #ownName = new Map<string, string>()
  readonly #index = createToolIndex()

  add(tools: readonly SearchableTool[]): void {
    this.#index.add(tools)
    for (const tool of tools) {
      this.#names.add(tool.key, namesOf(tool))
      this.#ownName.set(tool.key, tool.name)
    }
  }

  remove(keys: readonly string[]): void {
    this.#index.remove(keys)
    for (const key of keys) {
      this.#names.remove(key)
      this.#ownName.delete(key)
    }
  }

  find(query: string, maxResults: number, scope: SearchScope = EVERYTHING): FoundKeys {
    const parsed = parseToolQuery(query)
    // Names may look like any form of query.
    const exact = this.#named(query, scope.isCallable).slice(0, maxResults)
    if (parsed.type === 'words') return { keys: this.#search(parsed, exact, maxResults, scope), missing: [] }
    return exact.length > 0 ? { keys: exact, missing: [] } : this.#select(parsed.names, maxResults, scope)
  }

  /** Servers whose tools come nearest, for a query that nothing fits. */
  nearestServers(query: string, limit: number): readonly string[] {
    const parsed = parseToolQuery(query)
    const text = parsed.type === 'select' ? parsed.names.join(' ') : [...parsed.required, parsed.text].join(' ')
    return this.#index.nearestServers(text, limit)
  }

  /** A name that many servers have gives no more of them than any other query does. */
  #select(names: readonly string[], maxResults: number, { isCallable }: SearchScope): FoundKeys {
    const keys = new Set<string>()
    const missing: MissingName[] = []
    for (const name of names) {
      const found = this.#named(name, isCallable).slice(0, maxResults)
      for (const key of found) keys.add(key)
      if (found.length > 0) continue
      missing.push({ name, near: missing.length < MOST_ADVISED ? this.#near(name, isCallable) : [] })
    }
    return { keys: [...keys], missing }
  }

  /** By a tool's own name if there is one, so that no other can take its place by an alias. */
  #named(name: string, accept: (key: string) => boolean): readonly string[] {
    const keys = this.#names.named(name).filter(accept)
    const wanted = foldName(name)
    const own = keys.filter((key) => foldName(this.#ownName.get(key) ?? '') === wanted)
    return own.length > 0 ? own : keys
  }

  #near(name: string, isCallable: SearchScope['isCallable']): readonly string[] {
    const near = nearestNames(name, this.#names.names(), 10).flatMap((each) => this.#named(each, isCallable))
    return [...new Set(near.map((key) => this.#ownName.get(key) ?? ''))].slice(0, 3)
  }

  /** The tool of that very name, then those whose name begins so, then those that fit. */
  #search(
    { text, required }: ToolQuery & { type: 'words' },
    exact: readonly string[],
    maxResults: number,
    scope: SearchScope,
  ): string[] {
    const isAsked = (key: string) => this.#names.contains(key, required)
    const isSearched = (key: string) => scope.isSearched(key) && isAsked(key)
    const wanted = text === '' ? required.join(' ') : text
    const found = new Set([...exact, ...this.#named(wanted, (key) => scope.isCallable(key) && isAsked(key))])
    const rank = (words: string, accept: (key: string) => boolean) => {
      if (found.size >= maxResults) return
      for (const { key } of this.#index.search(words, maxResults, accept)) found.add(key)
    }
    const beginning = new Set(this.#names.startingWith(wanted).filter(isSearched))
    if (beginning.size > 0) rank(wanted, (key) => beginning.has(key))
    for (const key of beginning) found.add(key)
    rank(wanted, isSearched)
    // Whoever names a server wants its tools, even where the other words fit none of them.
    if (required.length > 0) this.#fill(found, maxResults, isSearched)
    return [...found].slice(0, maxResults)
  }

  #fill(found: Set<string>, maxResults: number, isSearched: (key: string) => boolean): void {
    for (const key of this.#names.keys()) {
      if (found.size >= maxResults) return
      if (isSearched(key)) found.add(key)
    }
  }
}

/** A tool of a server also goes by its name there, and by its full name, whichever of them the pool shows. */
function namesOf({ name, server, aliases = [] }: SearchableTool): readonly string[] {
  const own = [name, ...aliases]
  if (server === undefined) return own
  const prefix = mcpToolName(normaliseMcpName(server), '')
  const shown = own.filter((each) => each.startsWith(prefix))
  if (shown.length > 0) return [...own, ...shown.map((each) => each.slice(prefix.length))]
  return [...own, mcpToolName(server, name), prefix + normaliseMcpName(name)]
}
