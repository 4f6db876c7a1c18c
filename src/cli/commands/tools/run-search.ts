import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { SERVED_OPTIONS } from '../../served-options.js'
import { UsageError } from '../../usage-error.js'
import { warn } from '../../warn.js'
import { currentCatalogue, readCatalogue } from './search-catalogue.js'
import { searchLines } from './search-lines.js'
import { searchText } from './search-text.js'

const DEFAULT_RESULTS = '5'

/** Searches the deferred tools, or those of a catalogue. */
export async function runSearch(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    jsonl: { type: 'boolean', default: false },
    catalog: { type: 'string' },
    'max-results': { type: 'string', default: DEFAULT_RESULTS },
    ...SERVED_OPTIONS,
  })
  const maxResults = countOf(values['max-results'])
  const { catalog, jsonl } = values
  const query = positionals.join(' ')
  if (jsonl && (query !== '' || catalog === undefined || catalog === '-'))
    throw new UsageError('queries come from standard input: haft tools search --jsonl --catalog FILE.')
  if (!jsonl && query.trim() === '') throw new UsageError('say what to search for: haft tools search QUERY.')

  if (catalog === undefined) {
    io.out(searchText(await currentCatalogue(io, values), query, maxResults))
    return EXIT.done
  }
  const host = await io.host()
  const catalogue = await readCatalogue(catalog, host, (problem) => warn(io, problem))
  if (jsonl) return searchLines(host, catalogue, maxResults)
  io.out(searchText(catalogue, query, maxResults))
  return EXIT.done
}

function countOf(written: string): number {
  const count = Number(written)
  if (!/^\d+$/.test(written) || count < 1 || !Number.isSafeInteger(count))
    throw new UsageError('--max-results must be a whole number from 1.')
  return count
}
