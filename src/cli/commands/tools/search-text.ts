import { printable } from '../../../shared/printable.js'
import { quote } from '../../../shared/quote.js'
import type { CatalogueEntry, SearchCatalogue } from './search-catalogue.js'

const SHOWN_CHARS = 80
const SHOWN_SERVERS = 3

/** What a search found, for a person to read: best first, a line each. */
export function searchText({ finder, entries, scope }: SearchCatalogue, query: string, maxResults: number): string {
  const { keys, missing } = finder.find(query, maxResults, scope)
  const found = keys.flatMap((key) => entries.get(key) ?? [])
  const width = Math.max(0, ...found.map((entry) => nameOf(entry).length))
  const lines = found.map((entry) => `${nameOf(entry).padEnd(width)}  ${aboutOf(entry)}`.trimEnd())
  const absent = missing.map(({ name, near }) => {
    return `There is no tool ${quote(cut(name))}.${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`}`
  })
  if (lines.length + absent.length === 0) absent.push(nothingFits(query, finder.nearestServers(query, SHOWN_SERVERS)))
  return [...lines, ...absent].map((line) => `${printable(line)}\n`).join('')
}

function nothingFits(query: string, servers: readonly string[]): string {
  return `No deferred tool fits ${quote(cut(query))}.${servers.length === 0 ? '' : ` The nearest servers are ${servers.join(', ')}.`}`
}

function nameOf({ name, server }: CatalogueEntry): string {
  return server === undefined ? name : `${name} (${server})`
}

function aboutOf({ searchHint, description }: CatalogueEntry): string {
  return cut((searchHint ?? description).trim().split('\n')[0] ?? '')
}

function cut(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1)}…`
}
