import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { LspPort } from '../../contract/ports/lsp.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { isPathInside } from '../../shared/path-containment.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { formatOutput } from './format-output.js'
import { extractSearchText, renderOutput, renderUse, summariseUse } from './lsp-views.js'
import { prompt } from './prompt.js'
import type { OperationContext } from './run-operation.js'
import { inputSchema, type LspInput, outputSchema, POSITION_OPERATIONS } from './schema.js'

/** Longer than the time limit of a request to a server, which includes its start. */
const TIME_LIMIT_MS = 120_000

export const LspTool = buildTool({
  name: 'LSP',
  searchHint: 'language server protocol operations',
  isLsp: true,
  needs: ['lsp', 'files'],
  shouldDefer: true,
  description: 'Asks a language server about code',
  prompt,
  maxResultSizeChars: 60_000,

  inputSchema: lazySchema(inputSchema),
  outputSchema: lazySchema(outputSchema),

  isReadOnly: ({ operation }) => operation !== 'rename',
  isConcurrencySafe: ({ operation }) => operation !== 'rename',
  // Diagnostics are shown: users want to see the errors.
  isSearchOrReadCommand: ({ operation }) => ({
    isSearch: operation !== 'rename' && operation !== 'diagnostics',
    isRead: false,
  }),
  interruptBehavior: () => 'cancel',
  timeoutMs: () => TIME_LIMIT_MS,
  getPath: ({ filePath }) => filePath,
  // Answers depend on all files of the project, so they wait for earlier calls that change one.
  resources: ({ operation, filePath, changedFiles = [] }) => ({
    reads: [{ path: filePath }, { path: './' }],
    ...(operation === 'rename' && { writes: changedFiles.map((path) => ({ path })) }),
  }),
  omitsRestrictedFiles: true,
  async validateInput(input, context) {
    const problem = findInputProblem(input) ?? (await findRenameProblem(input, context))
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  async checkPermissions(input, context) {
    if (input.operation !== 'rename') return { behavior: 'passthrough' }
    const { hasSameFiles, listChangedFiles, planRename, previewRename } = await import('./rename.js')
    const operationContext = await createContext(context)
    const { cwd } = operationContext
    const plannedFiles = await planRename(input, await toRealPath(input, context), operationContext)
    // The changed files become part of the input, and the call is judged again, so that rules apply to each of them.
    if (input.changedFiles === undefined)
      return { behavior: 'allow', updatedInput: { ...input, changedFiles: listChangedFiles(plannedFiles, cwd) } }
    if (!hasSameFiles(plannedFiles, input.changedFiles, cwd))
      return { behavior: 'deny', message: 'changedFiles differs from the files that the rename changes. Leave it out.' }
    return { behavior: 'passthrough', preview: previewRename(plannedFiles, cwd) }
  },
  toAutoClassifierInput: ({ operation, filePath, newName, changedFiles }) => ({
    operation,
    filePath,
    newName,
    changedFiles,
  }),

  async call(input, context) {
    const [operationContext, path] = await Promise.all([createContext(context), toRealPath(input, context)])
    if (input.operation === 'rename') {
      const { applyRename } = await import('./rename.js')
      return { data: await applyRename(input, path, operationContext) }
    }
    const { runOperation } = await import('./run-operation.js')
    return { data: await runOperation(input, path, operationContext) }
  },

  mapToolResultToToolResultBlockParam: (output, toolUseId) => textResult(toolUseId, formatOutput(output)),

  getActivityDescription: (input) => `Asking the language server: ${summariseUse(input)}`,
  getToolUseSummary: (input) => summariseUse(input),
  renderToolUseMessage: renderUse,
  renderToolResultMessage: (output, _progress, options) => renderOutput(output, options),
  isResultTruncated: (output) => output.type !== 'hover',
  extractSearchText,
})

interface CallContext {
  readonly files: FilesPort
  readonly lsp: LspPort
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Creates the context of an operation. Servers report real paths, so the folders are resolved to real paths too. */
async function createContext({ files, lsp, cwd, signal }: CallContext): Promise<OperationContext> {
  const folders = [...new Set([cwd, ...lsp.workingFolders()])]
  const realFolders = await Promise.all(folders.map((folder) => files.realPath(folder)))
  const workingFolders = lsp.workingFolders().map((folder) => realFolders[folders.indexOf(folder)] ?? folder)
  return { files, lsp, signal, cwd: realFolders[0] ?? cwd, workingFolders }
}

function toRealPath({ filePath }: LspInput, { files, cwd }: CallContext): Promise<string> {
  return files.realPath(resolve(cwd, filePath))
}

function findInputProblem({ operation, filePath, line, character, query, newName }: LspInput): string | undefined {
  const pathProblem = findPathProblem(filePath)
  if (pathProblem !== undefined) return pathProblem
  if (POSITION_OPERATIONS.includes(operation) && (line === undefined || character === undefined))
    return `${operation} needs line and character of the symbol, both counted from 1.`
  if (operation === 'workspaceSymbol' && query === undefined)
    return 'workspaceSymbol needs query, the name to search for.'
  return operation === 'rename' && newName === undefined
    ? 'rename needs newName, the new name of the symbol.'
    : undefined
}

/**
 * Returns why a rename cannot be made, so that it is refused before the user is asked. Leaves unreadable files to the
 * permission check.
 */
async function findRenameProblem(input: LspInput, context: CallContext): Promise<string | undefined> {
  if (input.operation !== 'rename' || input.changedFiles !== undefined) return undefined
  const path = await toRealPath(input, context)
  const operationContext = await createContext(context)
  const { workingFolders } = operationContext
  const mayRead =
    workingFolders.some((folder) => isPathInside(path, folder)) &&
    (await context.files.isHidden?.(path, context.cwd)) !== true
  if (!mayRead) return undefined
  const { planRename } = await import('./rename.js')
  try {
    await planRename(input, path, operationContext)
    return undefined
  } catch (error) {
    if (error instanceof ToolCallError) return error.message
    throw error
  }
}
