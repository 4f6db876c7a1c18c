import { resolve } from 'node:path'
import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { GLOB_MAX_RESULT_SIZE_CHARS } from '../../contract/limits.js'
import { textResult } from '../../contract/messages.js'
import { isFileError } from '../../contract/ports/file-error.js'
import { SearchError } from '../../contract/ports/search.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, collapsible, fileLink, text } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { toRelativePath } from '../../shared/path-containment.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { prompt } from './prompt.js'
import { findPatternProblem, splitPattern } from './split-pattern.js'

const MAX_FILES = 100

/** Longer than the limit of the search itself. */
const TIME_LIMIT_MS = 60_000

export const GlobTool = buildTool({
  name: 'Glob',
  searchHint: 'find files by name pattern or wildcard',
  needs: ['files'],
  modes: { repl: 'hidden' },
  description: 'Finds files by name',
  prompt,
  maxResultSizeChars: GLOB_MAX_RESULT_SIZE_CHARS,

  inputSchema: lazySchema(() =>
    z.strictObject({
      pattern: z.string().min(1).describe('The glob pattern, for example "src/**/*.ts"'),
      path: z.string().min(1).optional().describe('The folder to search; the working directory by default'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      folder: z.string(),
      pattern: z.string(),
      /** The files found. Those below the working directory are relative to it. */
      files: z.array(z.string()),
      more: z.number(),
      isIncomplete: z.boolean().optional(),
    }),
  ),

  isReadOnly: () => true,
  timeoutMs: () => TIME_LIMIT_MS,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false, isList: true }),
  getPath: (input) => getSearchFolder(input),
  resources: (input) => ({ reads: [{ path: getSearchFolder(input) }] }),
  omitsRestrictedFiles: true,
  validateInput({ pattern, path }) {
    const problem = findPathProblem(path ?? '.') ?? findPathProblem(pattern) ?? findPatternProblem(pattern)
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  // The tool raises no question of its own: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  toAutoClassifierInput: (input) => getSearchFolder(input),

  async call(input, { files, cwd, signal }) {
    const folder = resolve(cwd, getSearchFolder(input))
    const { remainingPattern } = splitPattern(input.pattern)
    const limit = Math.min(MAX_FILES, files.globLimits.maxResults)
    try {
      const { paths, ...rest } = await files.glob(folder, remainingPattern, { stopSignal: signal, limit, cwd })
      const foundFiles = paths.map((path) => toRelativePath(path, cwd) || path)
      const data = { folder, pattern: input.pattern, files: foundFiles, ...rest }
      if (!signal.aborted) return { data }
      throw new ToolCallError('cancelled', 'The search was stopped.', { outputSoFar: formatFiles(data) })
    } catch (error) {
      if (!isFileError(error) && !(error instanceof SearchError)) throw error
      throw new ToolCallError('tool_failed', `${error.message} The working directory is ${cwd}.`, { cause: error })
    }
  },

  mapToolResultToToolResultBlockParam: (output, toolUseId) => textResult(toolUseId, formatFiles(output)),

  getActivityDescription: (input) => `Finding ${asText(input?.pattern) ?? 'files'}`,
  getToolUseSummary: (input) => asText(input?.pattern) ?? null,
  renderToolUseMessage: ({ pattern, path }) => [
    text(asText(pattern) ?? '', 'match'),
    ...(asText(path) === undefined ? [] : [' in ', text(String(path), 'path')]),
  ],
  renderToolResultMessage: ({ files, more }) =>
    collapsible(`Found ${formatCounted(files.length + more, 'file')}`, block(...files.map((file) => fileLink(file)))),
  renderGroupedToolUse: (uses) =>
    collapsible(
      text(`Listed files ${formatCounted(uses.length, 'time')}`, { bold: true }),
      block(...uses.map(({ input }) => text(asText(input.pattern) ?? '', 'match'))),
    ),
  isResultTruncated: ({ files }) => files.length > 0,
  extractSearchText: ({ files }) => files.join('\n'),
})

interface GlobOutput {
  readonly folder: string
  readonly pattern: string
  readonly files: readonly string[]
  readonly more: number
  readonly isIncomplete?: boolean | undefined
}

function formatFiles({ folder, pattern, files, more, isIncomplete = false }: GlobOutput): string {
  const stopNotice = `[The search of ${folder} was stopped before its end; there may be more files. Name a smaller folder.]`
  if (files.length === 0) return isIncomplete ? stopNotice : describeNoMatch(pattern, folder)
  const notice = more === 0 ? [] : [`[${more} more; narrow the pattern or the path to see them.]`]
  return [...files, ...notice, ...(isIncomplete ? [stopNotice] : [])].join('\n')
}

/** Returns the searched folder as written: absolute or relative to the working directory. */
function getSearchFolder({ pattern, path }: { readonly pattern: string; readonly path?: string | undefined }): string {
  const { folder } = splitPattern(pattern)
  if (folder === '') return addSlash(path ?? '.')
  return addSlash(path === undefined || folder.startsWith('/') ? folder : `${addSlash(path)}${folder}`)
}

/** Adds a trailing slash, which means the folder and everything below it. */
function addSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`
}

function describeNoMatch(pattern: string, folder: string): string {
  return `No file in ${folder} matches ${JSON.stringify(pattern)}. Ignored files were left out. Try a wider pattern, such as one that starts with "**/", or another path.`
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
