import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { isRecord } from '../../shared/is-record.js'

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const

/** The maximum number of diagnostics of one file. A generated file can have far more. */
const MAX_DIAGNOSTICS = 1_000

/** Parses the diagnostics of a server. Malformed entries are left out. */
export function readDiagnostics(path: string, items: unknown): readonly LspDiagnostic[] {
  if (!Array.isArray(items)) return []
  return items.slice(0, MAX_DIAGNOSTICS).flatMap((item) => {
    const start = isRecord(item) && isRecord(item.range) ? item.range.start : undefined
    if (!isRecord(item) || !isRecord(start) || typeof item.message !== 'string') return []
    const severity = SEVERITIES[Number(item.severity ?? 1) - 1] ?? 'error'
    const source = typeof item.source === 'string' ? { source: item.source } : {}
    return [
      {
        path,
        line: Number(start.line) + 1,
        character: Number(start.character) + 1,
        severity,
        message: item.message,
        ...source,
      },
    ]
  })
}
