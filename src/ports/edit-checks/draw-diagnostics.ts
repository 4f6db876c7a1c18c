import type { LspDiagnostic } from '../../contract/ports/lsp.js'

const MAX_SHOWN = 10
const MAX_MESSAGE_CHARACTERS = 300

/** Problems as the model reads them, worst first; what is only a hint is left out. */
export function drawDiagnostics(diagnostics: readonly LspDiagnostic[]): readonly string[] {
  const problems = [
    ...diagnostics.filter(({ severity }) => severity === 'error'),
    ...diagnostics.filter(({ severity }) => severity === 'warning'),
  ]
  if (problems.length === 0) return []
  const shown = problems.slice(0, MAX_SHOWN).map(drawDiagnostic)
  const more = problems.length > MAX_SHOWN ? [`(${problems.length - MAX_SHOWN} more)`] : []
  return [['New problems since this edit:', ...shown, ...more].join('\n')]
}

function drawDiagnostic({ path, line, character, severity, message, source }: LspDiagnostic): string {
  const text = message.replace(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARACTERS)
  return `${path}:${line}:${character} ${severity}: ${text}${source === undefined ? '' : ` (${source})`}`
}
