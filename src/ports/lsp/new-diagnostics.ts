import type { LspDiagnostic } from '../../contract/ports/lsp.js'

/** What is said after an edit and was not said before. Lines may have moved: what is said as often as before is not new. */
export function newDiagnostics(
  before: readonly LspDiagnostic[],
  after: readonly LspDiagnostic[],
): readonly LspDiagnostic[] {
  const known = new Map<string, number[]>()
  for (const diagnostic of before)
    known.set(keyOf(diagnostic), [...(known.get(keyOf(diagnostic)) ?? []), diagnostic.line])
  // Those that stayed in their line are taken first, so that of equal ones the right one is left.
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
