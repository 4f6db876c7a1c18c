import { resolve } from 'node:path'
import { READ_MAX_RESULT_SIZE_CHARS } from '../../contract/limits.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { fileLink, inline, text } from '../../contract/view-builders.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { parsePages } from '../documents/page-range.js'
import { readNames } from '../editing/foreign-names.js'
import { prompt } from './prompt.js'
import { describePart, extractContentText, renderContent, renderReads } from './read-views.js'
import { createReadBlock } from './result-block.js'
import { createInputSchema, createOutputSchema } from './schema.js'

/** A slow file system must not keep the call waiting forever. PDFs have a shorter limit of their own. */
const TIME_LIMIT_MS = 60_000

export const ReadTool = buildTool({
  name: 'Read',
  foreignNames: readNames,
  searchHint: 'read files, images, PDFs and notebooks',
  needs: ['files'],
  modes: { simple: true, repl: 'hidden' },
  description: 'Reads a file',
  prompt,
  maxResultSizeChars: READ_MAX_RESULT_SIZE_CHARS,

  inputSchema: lazySchema(createInputSchema),
  outputSchema: lazySchema(createOutputSchema),

  isReadOnly: () => true,
  timeoutMs: () => TIME_LIMIT_MS,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [{ path: file_path }] }),
  validateInput({ file_path, pages }) {
    const problem = findPathProblem(file_path) ?? findPagesProblem(pages)
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  // The tool raises no question of its own: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  toAutoClassifierInput: ({ file_path }) => file_path,

  async call(input, { files, cwd, signal, agentId, parentToolUseId }) {
    const { readFile } = await import('./read-file.js')
    const path = resolve(cwd, input.file_path)
    const isNested = parentToolUseId !== undefined
    return readFile(files, { ...input, path, cwd, signal, agentId, isNested })
  },

  mapToolResultToToolResultBlockParam: createReadBlock,

  getActivityDescription: (input) => `Reading ${getPathText(input) ?? 'a file'}`,
  getToolUseSummary: (input) => getPathText(input) ?? null,
  renderToolUseMessage: ({ file_path, offset, limit, pages }) => {
    const path = getPathText({ file_path })
    return path === undefined ? '' : inline(fileLink(path), text(describePart({ offset, limit, pages }), 'muted'))
  },
  renderToolResultMessage: (output) => renderContent(output),
  renderGroupedToolUse: renderReads,
  isResultTruncated: (output) => output.type !== 'empty' && output.type !== 'unchanged',
  extractSearchText: extractContentText,
})

function findPagesProblem(pages: string | undefined): string | undefined {
  if (pages === undefined || parsePages(pages) !== undefined) return undefined
  return `pages must be a page such as "3" or a range such as "1-5", not ${JSON.stringify(pages)}.`
}

function getPathText(input: { readonly file_path?: unknown } | undefined): string | undefined {
  return typeof input?.file_path === 'string' ? input.file_path : undefined
}
