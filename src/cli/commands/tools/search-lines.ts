import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandHost } from '../../command-host.js'
import { EXIT } from '../../exit-codes.js'
import { type InputLine, readLines } from '../../read-lines.js'
import type { SearchCatalogue } from './search-catalogue.js'

/** One line out for each line in, in order, each before the next is read. */
export async function searchLines(host: CommandHost, catalogue: SearchCatalogue, maxResults: number): Promise<number> {
  let hasBadLine = false
  for await (const line of readLines(host.input())) {
    const asked = parseQuery(line)
    if (typeof asked === 'string') {
      hasBadLine = true
      await host.write(`${JSON.stringify({ line: line.number, error: `line ${line.number} ${asked}` })}\n`)
    } else {
      const results = search(catalogue, asked.query, maxResults)
      await host.write(`${JSON.stringify({ id: asked.id, results })}\n`)
    }
  }
  return hasBadLine ? EXIT.failed : EXIT.done
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
  if (!isRecord(value)) return 'is no object'
  if (typeof value.query !== 'string') return 'has no query that is a text'
  return { id: value.id ?? null, query: value.query }
}
