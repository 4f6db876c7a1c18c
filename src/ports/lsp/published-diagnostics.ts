import type { MessageConnection } from 'vscode-jsonrpc/node'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { isRecord } from '../../shared/is-record.js'
import { pathOf, readDiagnostics } from './protocol.js'

interface Published {
  readonly version: number | undefined
  readonly items: readonly LspDiagnostic[]
}

/** Diagnostics that a server pushes, and the callers that wait for them. */
export class PublishedDiagnostics {
  readonly #published = new Map<string, Published>()
  readonly #waiting = new Set<() => void>()

  listen(connection: MessageConnection): void {
    connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => {
      const path = isRecord(params) ? pathOf(params.uri) : undefined
      if (path === undefined || !isRecord(params)) return
      const version = typeof params.version === 'number' ? params.version : undefined
      this.#published.set(path, { version, items: readDiagnostics(path, params.diagnostics) })
      for (const wake of this.#waiting) wake()
    })
  }

  /** Diagnostics of a document are outdated once it has changed. */
  forget(path: string): void {
    this.#published.delete(path)
  }

  /** Waits for the first diagnostics of this version. A server that sends no version is assumed to mean the newest. */
  async next(path: string, version: number, signal: AbortSignal): Promise<readonly LspDiagnostic[]> {
    for (;;) {
      const found = this.#published.get(path)
      if (found !== undefined && (found.version === undefined || found.version >= version)) return found.items
      await this.#change(signal)
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((done, fail) => {
      const stop = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', abort)
      }
      const wake = () => {
        stop()
        done()
      }
      const abort = () => {
        stop()
        fail(signal.reason)
      }
      if (signal.aborted) return abort()
      this.#waiting.add(wake)
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}

/** The diagnostics that an edit added. Lines may have moved, so equal messages are matched by their number. */
export function newDiagnostics(
  before: readonly LspDiagnostic[],
  after: readonly LspDiagnostic[],
): readonly LspDiagnostic[] {
  const known = new Map<string, number[]>()
  for (const diagnostic of before)
    known.set(keyOf(diagnostic), [...(known.get(keyOf(diagnostic)) ?? []), diagnostic.line])
  // Diagnostics on the same line are matched first, so that of equal ones the new one remains.
  const moved = after.filter((diagnostic) => !take(known.get(keyOf(diagnostic)), diagnostic.line))
  return moved.filter((diagnostic) => known.get(keyOf(diagnostic))?.pop() === undefined)
}

function take(lines: number[] | undefined, line: number): boolean {
  const at = lines?.indexOf(line) ?? -1
  if (at !== -1) lines?.splice(at, 1)
  return at !== -1
}

function keyOf({ path, severity, source, message }: LspDiagnostic): string {
  return JSON.stringify([path, severity, source, message])
}
