import { readFile } from 'node:fs/promises'
import type { EditReport, FilesPort } from '../../contract/ports/files.js'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { cutText } from '../../shared/cut-text.js'
import type { Lsp } from '../lsp/create-lsp.js'
import { selectNewDiagnostics } from '../lsp/published-diagnostics.js'
import { type Formatter, findFormatter, type RunFormatterOptions, runFormatter } from './formatter.js'

export interface EditChecksOptions extends RunFormatterOptions {
  readonly lsp?: Pick<Lsp, 'servesEdits' | 'diagnostics'>
  readonly formatters?: readonly Formatter[]
  readonly limits?: { readonly formatMs: number; readonly diagnosticsMs: number }
}

const DEFAULT_LIMITS = { formatMs: 5_000, diagnosticsMs: 2_000 }
/** A patch with many files must not wait for the diagnostics of all of them. */
const MAX_CHECKED_FILES = 10

/** Creates the function that runs formatters and language servers around an edit. */
export function createEditChecks(options: EditChecksOptions): NonNullable<FilesPort['aroundEdit']> {
  return async (paths, edit, { signal } = {}) => {
    const checkedPaths = paths.slice(0, MAX_CHECKED_FILES)
    const diagnosticsBefore = await Promise.all(
      checkedPaths.map((path) => readDiagnosticsBefore(path, options, signal)),
    )
    const result = await edit()
    return { result, report: await checkPaths(checkedPaths, diagnosticsBefore, options, signal) }
  }
}

/** The diagnostics of a file. Undefined if no server supports it or they did not arrive in time; then none counts as new. */
type KnownDiagnostics = readonly LspDiagnostic[] | undefined

async function readDiagnosticsBefore(
  path: string,
  options: EditChecksOptions,
  signal?: AbortSignal,
): Promise<KnownDiagnostics> {
  if (options.lsp?.servesEdits(path) !== true) return undefined
  if ((await hashFile(path)) === undefined) return []
  return requestDiagnostics(path, options, signal)
}

async function requestDiagnostics(
  path: string,
  { lsp, limits = DEFAULT_LIMITS }: EditChecksOptions,
  signal?: AbortSignal,
): Promise<KnownDiagnostics> {
  try {
    return await lsp?.diagnostics(path, { waitMs: limits.diagnosticsMs, ...(signal && { signal }) })
  } catch {
    // The edit does not depend on a server that is slow, broken or missing.
    return undefined
  }
}

async function checkPaths(
  paths: readonly string[],
  diagnosticsBefore: readonly KnownDiagnostics[],
  options: EditChecksOptions,
  signal?: AbortSignal,
): Promise<EditReport> {
  const reformattedPaths: string[] = []
  for (const path of paths) if (await formatFile(path, options, signal)) reformattedPaths.push(path)
  const foundDiagnostics = await Promise.all(
    paths.map(async (path, index) => {
      const oldDiagnostics = diagnosticsBefore[index]
      const diagnosticsAfter =
        oldDiagnostics === undefined || (await hashFile(path)) === undefined
          ? undefined
          : await requestDiagnostics(path, options, signal)
      return oldDiagnostics === undefined || diagnosticsAfter === undefined
        ? []
        : selectNewDiagnostics(oldDiagnostics, diagnosticsAfter)
    }),
  )
  return { notes: formatDiagnostics(foundDiagnostics.flat()), reformatted: reformattedPaths }
}

/** Runs the formatter for the file, if there is one, and returns whether it changed the file. */
async function formatFile(path: string, options: EditChecksOptions, signal?: AbortSignal): Promise<boolean> {
  const formatter = findFormatter(options.formatters ?? [], path)
  const hashBefore = formatter === undefined ? undefined : await hashFile(path)
  if (formatter === undefined || hashBefore === undefined) return false
  const limit = AbortSignal.timeout((options.limits ?? DEFAULT_LIMITS).formatMs)
  await runFormatter(formatter, path, options, signal === undefined ? limit : AbortSignal.any([signal, limit]))
  return (await hashFile(path)) !== hashBefore
}

async function hashFile(path: string): Promise<string | undefined> {
  try {
    return computeContentHash(await readFile(path))
  } catch {
    // The file is missing or unreadable, so there is nothing to check.
    return undefined
  }
}

const MAX_SHOWN_DIAGNOSTICS = 10
const MAX_MESSAGE_CHARS = 300

/** Formats diagnostics for the model, most severe first. Hints are left out. */
function formatDiagnostics(diagnostics: readonly LspDiagnostic[]): readonly string[] {
  const problems = [
    ...diagnostics.filter(({ severity }) => severity === 'error'),
    ...diagnostics.filter(({ severity }) => severity === 'warning'),
  ]
  if (problems.length === 0) return []
  const shownLines = problems.slice(0, MAX_SHOWN_DIAGNOSTICS).map(formatDiagnostic)
  const moreLines = problems.length > MAX_SHOWN_DIAGNOSTICS ? [`(${problems.length - MAX_SHOWN_DIAGNOSTICS} more)`] : []
  return [['New problems since this edit:', ...shownLines, ...moreLines].join('\n')]
}

function formatDiagnostic({ path, line, character, severity, message, source }: LspDiagnostic): string {
  const text = cutText(message.replace(/\s+/g, ' '), MAX_MESSAGE_CHARS)
  return `${path}:${line}:${character} ${severity}: ${text}${source === undefined ? '' : ` (${source})`}`
}
