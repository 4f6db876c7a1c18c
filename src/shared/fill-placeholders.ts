/** The values that replace the placeholders in a text. */
export interface PlaceholderValues {
  readonly args: string
  /** The value of `${HAFT_SKILL_DIR}` and `${CLAUDE_SKILL_DIR}`. */
  readonly folder?: string
  /** Whether `$1` to `$9` are replaced by single arguments. */
  readonly hasPositions?: boolean
}

/**
 * Inserts arguments into the text of a skill or command. Without a placeholder the arguments are appended. A single pass, so
 * that inserted text is not expanded again.
 */
export function fillPlaceholders(text: string, { args, folder, hasPositions = false }: PlaceholderValues): string {
  const words = splitArguments(args)
  let hasPlaceholder = false
  const filledText = text.replace(PLACEHOLDER, (placeholder, position: string | undefined) => {
    if (placeholder.startsWith('${')) return folder ?? placeholder
    if (position !== undefined && !hasPositions) return placeholder
    hasPlaceholder = true
    return position === undefined ? args : (words[Number(position) - 1] ?? '')
  })
  return hasPlaceholder || args === '' ? filledText : `${filledText.trimEnd()}\n\nArguments: ${args}`
}

const PLACEHOLDER = /\$ARGUMENTS\b|\$\{(?:HAFT|CLAUDE)_SKILL_DIR\}|\$([1-9])(?!\d)/g

/** Splits at spaces; quotes keep words together. */
export function splitArguments(args: string): readonly string[] {
  const words = args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return Array.from(words, ([, double, single, plain]) => double ?? single ?? plain ?? '')
}
