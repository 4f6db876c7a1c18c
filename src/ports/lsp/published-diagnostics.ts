import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { toPath } from '../../shared/file-uri.js'
import { isRecord } from '../../shared/is-record.js'
import { readDiagnostics } from './read-diagnostics.js'

interface PublishedVersion {
  readonly version: number | undefined
  readonly items: readonly LspDiagnostic[]
}

/** Stores the diagnostics that a server pushes and wakes the callers that wait for them. */
export class PublishedDiagnostics {
  readonly #publishedByPath = new Map<string, PublishedVersion>()
  readonly #waiters = new Set<() => void>()

  /** Stores what a `textDocument/publishDiagnostics` notification contains, if the document is open. */
  receive(params: unknown, isOpen: (path: string) => boolean): void {
    const path = isRecord(params) ? toPath(params.uri) : undefined
    if (path === undefined || !isRecord(params) || !isOpen(path)) return
    const version = typeof params.version === 'number' ? params.version : undefined
    this.#publishedByPath.set(path, { version, items: readDiagnostics(path, params.diagnostics) })
    for (const wake of this.#waiters) wake()
  }

  /** Removes the diagnostics of a document, which are outdated once it has changed. */
  forget(path: string): void {
    this.#publishedByPath.delete(path)
  }

  /** Waits for the first diagnostics of this version. Diagnostics without a version are assumed to be for the newest one. */
  async waitFor(path: string, version: number, signal: AbortSignal): Promise<readonly LspDiagnostic[]> {
    for (;;) {
      const publishedDiagnostics = this.#publishedByPath.get(path)
      if (
        publishedDiagnostics !== undefined &&
        (publishedDiagnostics.version === undefined || publishedDiagnostics.version >= version)
      )
        return publishedDiagnostics.items
      await this.#waitForChange(signal)
    }
  }

  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiters.delete(wake)
        signal.removeEventListener('abort', abort)
      }
      const wake = () => {
        stop()
        resolve()
      }
      const abort = () => {
        stop()
        reject(signal.reason)
      }
      if (signal.aborted) return abort()
      this.#waiters.add(wake)
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}

/** Returns the diagnostics that an edit added. Lines may have moved, so equal diagnostics are counted instead of compared by line. */
export function selectNewDiagnostics(
  diagnosticsBefore: readonly LspDiagnostic[],
  diagnosticsAfter: readonly LspDiagnostic[],
): readonly LspDiagnostic[] {
  const knownLines = new Map<string, number[]>()
  for (const diagnostic of diagnosticsBefore)
    knownLines.set(createKey(diagnostic), [...(knownLines.get(createKey(diagnostic)) ?? []), diagnostic.line])
  // Diagnostics on the same line are matched first, so that of several equal diagnostics the new one remains.
  const unmatchedDiagnostics = diagnosticsAfter.filter(
    (diagnostic) => !removeLine(knownLines.get(createKey(diagnostic)), diagnostic.line),
  )
  return unmatchedDiagnostics.filter((diagnostic) => knownLines.get(createKey(diagnostic))?.pop() === undefined)
}

function removeLine(lines: number[] | undefined, line: number): boolean {
  const index = lines?.indexOf(line) ?? -1
  if (index !== -1) lines?.splice(index, 1)
  return index !== -1
}

function createKey({ path, severity, source, message }: LspDiagnostic): string {
  return JSON.stringify([path, severity, source, message])
}
