/**
 * Returns the path in a file such as `.git` (with the prefix `gitdir: `) or `commondir`, in the form that git itself writes.
 * Undefined for every other form, because git might resolve it to another path than Haft: git keeps blanks at the end, ends at a
 * zero byte, and follows links before `..`.
 */
export function parsePlainPath(text: string, prefix = ''): string | undefined {
  if (!text.startsWith(prefix)) return undefined
  const path = text.slice(prefix.length).replace(/\n$/, '')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  const hasInnerParent = names.some((name, at) => name === '..' && at > 0 && names[at - 1] !== '..')
  return isPlainLine(path) && !hasInnerParent ? path : undefined
}

/** Whether a text is one line without control characters, characters that are not UTF-8, or blanks at its ends. */
function isPlainLine(text: string): boolean {
  return /^[^\s\p{Cc}\uFFFD](?:[^\p{Cc}\uFFFD]*[^\s\p{Cc}\uFFFD])?$/u.test(text)
}
