/** How a JSON file is written, so that what is added looks like the rest. */
export interface JsonStyle {
  /** What one level is indented by; empty where all stands on one line. */
  readonly indent: string
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the file writes every character beyond ASCII as an escape. */
  readonly isAscii: boolean
}

export function jsonStyle(text: string): JsonStyle {
  return {
    indent: /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '',
    lineEnd: /\r\n/.test(text) ? '\r\n' : '\n',
    isAscii: /\\u[0-9a-f]{4}/i.test(text) && !/[^\0-\x7f]/.test(text),
  }
}

/** A value as it stands in such a file, at some depth. */
export function writeJson(value: unknown, depth: number, { indent, lineEnd, isAscii }: JsonStyle): string {
  const text = JSON.stringify(value, null, indent)
  const plain = isAscii ? text.replace(/[^\0-\x7f]/g, escaped) : text
  return indent === '' ? plain : plain.replaceAll('\n', lineEnd + indent.repeat(depth))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
