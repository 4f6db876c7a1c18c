import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { createToolFinder, type SearchScope, type ToolFinder } from '../../../tool-search/find/tool-finder.js'
import type { SearchableTool } from '../../../tool-search/rank/index.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { openInput } from '../../io/open-input.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import type { ServedValues } from '../../options/served-options.js'
import { loadCurrentPool } from './current-pool.js'
import { describeTools } from './describe-tools.js'

/** The tools that a search covers, and the entry of each by its key. */
export interface SearchCatalogue {
  readonly finder: ToolFinder
  readonly entries: ReadonlyMap<string, CatalogueEntry>
  /** Which tools are searched by words. Default: all. */
  readonly scope?: SearchScope
}

export interface CatalogueEntry extends SearchableTool {
  /** Set by the catalogue file; `--jsonl` prints it instead of the name. */
  readonly id?: unknown
}

/** Reads the tools of a JSON lines file. Invalid lines are reported and skipped. */
export async function readCatalogue(
  file: string,
  host: CommandHost,
  onProblem: (problem: string) => void,
): Promise<SearchCatalogue> {
  const entries: CatalogueEntry[] = []
  for await (const line of readLines(await openInput(file, host))) {
    const entry = parseEntry(line)
    if (typeof entry === 'string') onProblem(`line ${line.number} of ${file} ${entry}; skipped.`)
    else entries.push(entry)
  }
  return createCatalogue(entries)
}

/** Returns the available tools. Deferred ones are searched by words; the others can be found by name. */
export async function loadCurrentCatalogue(io: CommandIo, values: ServedValues): Promise<SearchCatalogue> {
  const { pool: tools, servedTools } = await loadCurrentPool(io, values)
  const pool = new Map(tools.map((tool) => [tool.name, tool]))
  const { definitions } = await describeTools([...builtInTools, ...servedTools].filter(({ name }) => pool.has(name)))
  const deferredNames = new Set([...pool.values()].filter((tool) => isDeferredTool(tool)).map(({ name }) => name))
  const entries = definitions.map(({ name, description, input_schema }) => {
    const { searchHint, aliases, mcpInfo } = pool.get(name) ?? {}
    return {
      key: name,
      name,
      description,
      inputSchema: input_schema,
      ...(searchHint !== undefined && { searchHint }),
      ...(aliases !== undefined && { aliases }),
      ...(mcpInfo && { server: mcpInfo.serverName, isMcp: true }),
    }
  })
  return {
    ...(await createCatalogue(entries)),
    scope: { isCallable: () => true, isSearched: (key) => deferredNames.has(key) },
  }
}

async function createCatalogue(entries: readonly CatalogueEntry[]): Promise<SearchCatalogue> {
  const finder = await createToolFinder()
  finder.add(entries)
  return { finder, entries: new Map(entries.map((entry) => [entry.key, entry])) }
}

function parseEntry(line: InputLine): CatalogueEntry | string {
  if ('problem' in line) return line.problem
  let value: unknown
  try {
    value = JSON.parse(line.text)
  } catch (error) {
    return line.text.trim() === '' ? 'is empty' : `is not JSON (${reasonOf(error)})`
  }
  if (!isRecord(value)) return 'is not an object'
  if (typeof value.name !== 'string') return 'has no name'
  const { id, name, description, server, isMcp, inputSchema, searchHint } = value
  return {
    key: String(line.number),
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    ...(id !== undefined && id !== null && { id }),
    ...(typeof server === 'string' && { server }),
    ...(typeof isMcp === 'boolean' && { isMcp }),
    ...(typeof searchHint === 'string' && { searchHint }),
  }
}
