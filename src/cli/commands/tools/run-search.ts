import { shortenText } from '../../../shared/cut-text.js'
import { isRecord } from '../../../shared/is-record.js'
import { toPrintable } from '../../../shared/printable.js'
import { quote } from '../../../shared/quote.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { SERVED_OPTIONS } from '../../options/served-options.js'
import { type CatalogueEntry, loadCurrentCatalogue, readCatalogue, type SearchCatalogue } from './search-catalogue.js'

const DEFAULT_MAX_RESULTS = '5'

/** Searches the deferred tools, or a catalogue. */
export async function runSearch(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    jsonl: { type: 'boolean', default: false },
    catalog: { type: 'string' },
    'max-results': { type: 'string', default: DEFAULT_MAX_RESULTS },
    ...SERVED_OPTIONS,
  })
  const maxResults = parseCount(values['max-results'])
  const { catalog, jsonl } = values
  const query = positionals.join(' ')
  if (jsonl && (query !== '' || catalog === undefined || catalog === '-'))
    throw new UsageError('--jsonl reads queries from standard input: haft tools search --jsonl --catalog FILE.')
  if (!jsonl && query.trim() === '') throw new UsageError('missing query: haft tools search QUERY.')

  if (catalog === undefined) {
    io.out(searchAsText(await loadCurrentCatalogue(io, values), query, maxResults))
    return EXIT.done
  }
  const host = await io.host()
  const catalogue = await readCatalogue(catalog, host, (problem) => warn(io, problem))
  if (jsonl) return searchLines(host, catalogue, maxResults)
  io.out(searchAsText(catalogue, query, maxResults))
  return EXIT.done
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count))
    throw new UsageError(`--max-results must be a positive integer, not ${quote(text)}.`)
  return count
}

/** Writes one line for each query line, before reading the next. */
async function searchLines(host: CommandHost, catalogue: SearchCatalogue, maxResults: number): Promise<number> {
  let hasInvalidLine = false
  for await (const line of readLines(host.input())) {
    const parsedQuery = parseQuery(line)
    if (typeof parsedQuery === 'string') {
      hasInvalidLine = true
      await host.write(`${JSON.stringify({ line: line.number, error: `line ${line.number} ${parsedQuery}` })}\n`)
    } else {
      const results = search(catalogue, parsedQuery.query, maxResults)
      await host.write(`${JSON.stringify({ id: parsedQuery.id, results })}\n`)
    }
  }
  return hasInvalidLine ? EXIT.failed : EXIT.done
}

function search({ finder, entries }: SearchCatalogue, query: string, maxResults: number): readonly unknown[] {
  const { keys } = finder.find(query, maxResults)
  return keys.slice(0, maxResults).map((key) => entries.get(key)?.id ?? entries.get(key)?.name)
}

function parseQuery(line: InputLine): { readonly id: unknown; readonly query: string } | string {
  if ('problem' in line) return line.problem
  let value: unknown
  try {
    value = JSON.parse(line.text)
  } catch (error) {
    return line.text.trim() === '' ? 'is empty' : `is not JSON: ${reasonOf(error)}`
  }
  if (!isRecord(value)) return 'is not an object'
  if (typeof value.query !== 'string') return 'has no query string'
  return { id: value.id ?? null, query: value.query }
}

const MAX_TEXT_CHARS = 80
const MAX_NEAREST_SERVERS = 3

/** Returns the search results as text, best first, one per line. */
function searchAsText({ finder, entries, scope }: SearchCatalogue, query: string, maxResults: number): string {
  const { keys, missing } = finder.find(query, maxResults, scope)
  const foundEntries = keys.flatMap((key) => entries.get(key) ?? [])
  const width = Math.max(0, ...foundEntries.map((entry) => nameOf(entry).length))
  const lines = foundEntries.map((entry) => `${nameOf(entry).padEnd(width)}  ${descriptionOf(entry)}`.trimEnd())
  const missingLines = missing.map(({ name, near }) => {
    return `Unknown tool ${quote(cut(name))}.${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`}`
  })
  if (lines.length + missingLines.length === 0)
    missingLines.push(describeNoMatch(query, finder.findNearestServers(query, MAX_NEAREST_SERVERS)))
  return [...lines, ...missingLines].map((line) => `${toPrintable(line)}\n`).join('')
}

function describeNoMatch(query: string, servers: readonly string[]): string {
  return `No deferred tool matches ${quote(cut(query))}.${servers.length === 0 ? '' : ` Closest servers: ${servers.join(', ')}.`}`
}

function nameOf({ name, server }: CatalogueEntry): string {
  return server === undefined ? name : `${name} (${server})`
}

function descriptionOf({ searchHint, description }: CatalogueEntry): string {
  return cut((searchHint ?? description).trim().split('\n')[0] ?? '')
}

function cut(text: string): string {
  return shortenText(text, MAX_TEXT_CHARS)
}
