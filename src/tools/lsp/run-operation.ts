import { ToolCallError } from '../../contract/errors.js'
import type { LspDiagnostic, LspOperation, LspPort, LspPosition } from '../../contract/ports/lsp.js'
import { cutText } from '../../shared/cut-text.js'
import { reasonOf } from '../../shared/reason-of.js'
import {
  type Place,
  readDocumentSymbols,
  readHover,
  readIncomingCalls,
  readLocations,
  readOutgoingCalls,
  readWorkspaceSymbols,
} from './read-answer.js'
import { type LspInput, type LspItem, type LspOutput, POSITION_OPERATIONS } from './schema.js'
import {
  describeLine,
  findNameAt,
  isHiddenFile,
  readShownLines,
  readSourceLines,
  type SourceContext,
  shortenLine,
  shortenPath,
} from './source-text.js'

/** The maximum number of results that are listed. */
const MAX_ITEMS = 100
const MAX_HOVER_CHARS = 20_000
const MAX_MESSAGE_CHARS = 500
const DIAGNOSTICS_MS = 30_000

export interface OperationContext extends SourceContext {
  readonly lsp: LspPort
}

/** Runs an operation that only reads. `path` is the real path of the file. */
export async function runOperation(input: LspInput, path: string, context: OperationContext): Promise<LspOutput> {
  if (input.operation === 'diagnostics') return listDiagnostics(path, context)
  const at = toPosition(input, path)
  const answer = await requestOrExplain(input, at, context)
  if (input.operation === 'hover') return describeHover(at, answer, context)
  const places = READERS[input.operation](answer, path)
  if (places.length === 0 && POSITION_OPERATIONS.includes(input.operation)) await requireName(at, context)
  return listPlaces(input.operation, path, places, context)
}

type ListOperation = Exclude<LspOperation, 'hover' | 'rename'>

const READERS: Readonly<Record<ListOperation | 'rename', (answer: unknown, path: string) => readonly Place[]>> = {
  goToDefinition: readLocations,
  goToImplementation: readLocations,
  findReferences: readLocations,
  documentSymbol: readDocumentSymbols,
  workspaceSymbol: readWorkspaceSymbols,
  incomingCalls: readIncomingCalls,
  outgoingCalls: readOutgoingCalls,
  rename: () => [],
}

export function toPosition({ line = 1, character = 1 }: LspInput, path: string): LspPosition {
  return { path, line, character }
}

/** Sends the request. Errors of the server become errors that the model can act on. */
export async function requestOrExplain(
  { operation, query, newName }: LspInput,
  at: LspPosition,
  context: OperationContext,
): Promise<unknown> {
  if (operation === 'diagnostics') return undefined
  const { lsp, signal } = context
  const problem = await lsp.findProblem(at.path)
  if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
  try {
    return await lsp.request(operation, at, {
      signal,
      ...(query !== undefined && { query }),
      ...(newName !== undefined && { newName }),
    })
  } catch (error) {
    signal.throwIfAborted()
    await requireLine(operation, at, context)
    throw new ToolCallError('tool_failed', reasonOf(error), { cause: error })
  }
}

/** Throws if the file does not have this line, because each server reports that differently. */
async function requireLine(operation: string, { path, line }: LspPosition, context: OperationContext): Promise<void> {
  if (!POSITION_OPERATIONS.includes(operation)) return
  const lines = await readSourceLines(path, context)
  if (lines !== undefined && line > lines.length)
    throw new ToolCallError('tool_failed', `${shortenPath(path, context.cwd)}: ${describeLine(lines, line)}`)
}

/** Throws if there is no name at the position. The error lists the names in that line. */
export async function requireName({ path, line, character }: LspPosition, context: OperationContext): Promise<void> {
  const lines = await readSourceLines(path, context)
  if (lines === undefined || findNameAt(lines[line - 1] ?? '', character) !== undefined) return
  const place = `${shortenPath(path, context.cwd)}:${line}:${character}`
  throw new ToolCallError(
    'tool_failed',
    `There is no symbol at ${place} (line and character count from 1). ${describeLine(lines, line)}`,
  )
}

async function describeHover(at: LspPosition, answer: unknown, context: OperationContext): Promise<LspOutput> {
  const { path, line, character } = at
  const text = cutText(readHover(answer), MAX_HOVER_CHARS)
  if (text === '') {
    await requireName(at, context)
    throw new ToolCallError(
      'tool_failed',
      `The language server knows nothing about the symbol at ${line}:${character}.`,
    )
  }
  await requireShownDefinition(at, context)
  return { type: 'hover', path: shortenPath(path, context.cwd), line, character, text }
}

/** Throws if the symbol is defined in a hidden file, because the text of a hover comes from that file. */
async function requireShownDefinition(at: LspPosition, context: OperationContext): Promise<void> {
  const { files, lsp, signal } = context
  if (files.isHidden === undefined) return
  let answer: unknown
  try {
    answer = await lsp.request('goToDefinition', at, { signal })
  } catch {
    // A server that cannot find definitions cannot tell where the text comes from.
    signal.throwIfAborted()
    return
  }
  const paths = new Set(readLocations(answer).map(({ path }) => path))
  for (const path of paths) {
    if (path !== at.path && (await isHiddenFile(path, context)))
      throw new ToolCallError('tool_failed', 'The symbol is defined in a file that permission rules hide.')
  }
}

async function listPlaces(
  operation: ListOperation | 'rename',
  filePath: string,
  places: readonly Place[],
  context: OperationContext,
): Promise<LspOutput> {
  const paths = [...new Set(places.map(({ path }) => path))]
  const hiddenFlags = await Promise.all(paths.map((path) => isHiddenFile(path, context)))
  const hiddenPaths = new Set(paths.filter((_, index) => hiddenFlags[index]))
  const shownPlaces = places.filter(({ path }) => !hiddenPaths.has(path))
  const listedPlaces = shownPlaces.slice(0, MAX_ITEMS)
  const linesByPath = await readLines(listedPlaces, context)
  const items: LspItem[] = []
  for (const { path, line, character, label, depth } of listedPlaces) {
    const text = linesByPath.get(path)?.[line - 1]
    items.push({
      path: shortenPath(path, context.cwd),
      ...{ line, character },
      ...(text !== undefined && depth === undefined && { text: shortenLine(text) }),
      ...(label !== undefined && { label }),
      ...(depth !== undefined && { depth }),
    })
  }
  return {
    type: 'list',
    operation,
    filePath: shortenPath(filePath, context.cwd),
    items,
    total: shownPlaces.length,
    hiddenCount: places.length - shownPlaces.length,
  }
}

/** The lines of the files of places that are not hidden. */
async function readLines(places: readonly Place[], context: OperationContext) {
  // A nested symbol has a label, which says as much as the source line.
  const paths = new Set(places.filter(({ depth }) => depth === undefined).map(({ path }) => path))
  return new Map(
    await Promise.all([...paths].map(async (path) => [path, await readShownLines(path, context)] as const)),
  )
}

const SEVERITY_ORDER = ['error', 'warning', 'information', 'hint']

async function listDiagnostics(path: string, context: OperationContext): Promise<LspOutput> {
  const { lsp, signal, cwd } = context
  const problem = await lsp.findProblem(path)
  if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
  let diagnostics: readonly LspDiagnostic[]
  try {
    diagnostics = await lsp.diagnostics(path, { signal, waitMs: DIAGNOSTICS_MS })
  } catch (error) {
    signal.throwIfAborted()
    throw new ToolCallError('tool_failed', reasonOf(error), { cause: error })
  }
  const sortedDiagnostics = diagnostics.toSorted(
    (a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || a.line - b.line,
  )
  const lines = await readSourceLines(path, context)
  const items = sortedDiagnostics.slice(0, MAX_ITEMS).map(({ line, character, severity, message, source }) => {
    const text = lines?.[line - 1]
    const origin = source === undefined ? '' : ` (${source})`
    return {
      path: shortenPath(path, cwd),
      ...{ line, character },
      ...(text !== undefined && { text: shortenLine(text) }),
      label: `${severity}: ${cutText(message, MAX_MESSAGE_CHARS)}${origin}`,
    }
  })
  const filePath = shortenPath(path, cwd)
  return { type: 'list', operation: 'diagnostics', filePath, items, total: diagnostics.length, hiddenCount: 0 }
}
