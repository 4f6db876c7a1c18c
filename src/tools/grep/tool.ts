import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { isFileError } from '../../contract/ports/file-error.js'
import { SearchError, type SearchQuery, type SearchResult } from '../../contract/ports/search.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { text } from '../../contract/view-builders.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { renameFields } from '../../shared/rename-fields.js'
import { explainQuery } from './explain-query.js'
import { renderMatches, renderSearches } from './grep-views.js'
import { prompt } from './prompt.js'
import { formatResult } from './result-text.js'
import { createInputSchema, createOutputSchema, type GrepInput, type GrepOutput, OUTPUT_BY_MODE } from './schema.js'

const DEFAULT_LIMIT = 250
/** Arguments of a program cannot contain NUL. */
const NUL_PROBLEM = 'The input contains a NUL character. Remove it.'

/** Longer than the limit of the search itself, which returns partial results. */
const TIME_LIMIT_MS = 60_000

/** Longer patterns of names take long to translate, and programs do not accept arguments of any length. */
const MAX_NAME_PATTERN_CHARS = 10_000

export const GrepTool = buildTool({
  name: 'Grep',
  foreignNames: {
    grep_search: (input) =>
      renameFields(input, { pattern: ['query', 'pattern'], path: ['path'], glob: ['include_pattern', 'glob'] }),
  },
  searchHint: 'search file contents',
  needs: ['search'],
  modes: { repl: 'hidden' },
  description: 'Searches the content of files',
  prompt,

  inputSchema: lazySchema(createInputSchema),
  outputSchema: lazySchema(createOutputSchema),

  isReadOnly: () => true,
  timeoutMs: () => TIME_LIMIT_MS,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),
  getPath: ({ path }) => path ?? '.',
  resources: ({ path }) => ({ reads: [{ path: path ?? './' }] }),
  omitsRestrictedFiles: true,
  validateInput({ path, pattern, glob, type }) {
    const hasNul = [pattern, glob, type].some((text) => text?.includes('\0'))
    const problem = hasNul ? NUL_PROBLEM : (findLengthProblem({ glob, type }) ?? findPathProblem(path ?? '.'))
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  // The tool raises no question of its own: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  toAutoClassifierInput: ({ path }) => path ?? '.',

  async call(input, { search, cwd, signal }) {
    const query = toQuery(input, cwd)
    try {
      const output = toOutput(input, query, await search.search(query, { stopSignal: signal }))
      if (!signal.aborted) return { data: output }
      throw new ToolCallError('cancelled', 'The search was stopped.', { outputSoFar: formatResult(output) })
    } catch (error) {
      throw explainError(error, input, cwd)
    }
  },

  mapToolResultToToolResultBlockParam: (output, toolUseId) => textResult(toolUseId, formatResult(output)),

  getActivityDescription: (input) => `Searching for ${asText(input?.pattern) ?? 'text'}`,
  getToolUseSummary: (input) => asText(input?.pattern) ?? null,
  renderToolUseMessage: ({ pattern, path }) => [
    text(asText(pattern) ?? '', 'match'),
    ...(asText(path) === undefined ? [] : [' in ', text(String(path), 'path')]),
  ],
  renderToolResultMessage: renderMatches,
  renderGroupedToolUse: renderSearches,
  isResultTruncated: ({ entries }) => entries > 0,
  extractSearchText: ({ entries, text: matches }) => (entries === 0 ? '' : matches),
})

function findLengthProblem(patterns: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const [name, { length } = ''] of Object.entries(patterns)) {
    if (length > MAX_NAME_PATTERN_CHARS)
      return `${name} has ${length} characters, and the limit is ${MAX_NAME_PATTERN_CHARS}. Use a wildcard instead of a list of names, or several calls.`
  }
  return undefined
}

function toQuery(input: GrepInput, cwd: string): SearchQuery {
  const { pattern, path, glob, type, multiline, offset, head_limit: limit = DEFAULT_LIMIT } = input
  const contextLines = input['-C'] ?? 0
  return {
    pattern,
    path: resolve(cwd, path ?? '.'),
    cwd,
    output: OUTPUT_BY_MODE[input.output_mode ?? 'files_with_matches'],
    before: input['-B'] ?? contextLines,
    after: input['-A'] ?? contextLines,
    lineNumbers: input['-n'] ?? true,
    ignoreCase: input['-i'] ?? false,
    ...(multiline !== undefined && { multiline }),
    ...(glob !== undefined && { glob }),
    ...(type !== undefined && { type }),
    ...(offset !== undefined && { offset }),
    ...(limit > 0 && { limit }),
  }
}

function toOutput(
  { glob, type, offset = 0 }: GrepInput,
  { pattern, path, output, ignoreCase = false }: SearchQuery,
  { unsearched = [], ...result }: SearchResult,
): GrepOutput {
  const isNarrowed = glob !== undefined || type !== undefined
  const queryDetails = { pattern, path, isNarrowed, ignoresCase: ignoreCase }
  return { mode: output, ...result, offset, unsearched: [...unsearched], query: queryDetails }
}

function explainError(error: unknown, { type }: GrepInput, cwd: string): unknown {
  if (error instanceof SearchError)
    return new ToolCallError('tool_failed', explainQuery(error.message, type), { cause: error })
  if (!isFileError(error)) return error
  return new ToolCallError('tool_failed', `${error.message} The working directory is ${cwd}.`, { cause: error })
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
