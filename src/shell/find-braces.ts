import type { Word } from 'unbash'

/** What stands for text that is quoted or comes from an expansion. */
const COVERED = '\0'

/** The text of a word as it is written, without what is quoted or expanded. */
export function bareText({ text, parts }: Word): string {
  if (!text.includes('{')) return ''
  if (parts === undefined) return uncover(text)
  return parts.map((part) => (SHOWN.has(part.type) ? uncover(part.text) : COVERED)).join('')
}

const SHOWN: ReadonlySet<string> = new Set(['Literal', 'BraceExpansion', 'Glob', 'ExtendedGlob'])

function uncover(text: string): string {
  return text.replace(/\\[\s\S]/g, COVERED)
}

/** How much is known before braces that bash may expand; none where there are no such braces. */
export function findBraces(bare: string): number | undefined {
  const open = bare.indexOf('{')
  const close = bare.lastIndexOf('}')
  if (open === -1 || close < open || !/,|\.\./.test(bare.slice(open, close))) return undefined
  return bare.slice(0, open).includes(COVERED) ? 0 : open
}
