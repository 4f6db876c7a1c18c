const SUFFIXES: readonly (readonly [suffix: string, replacement: string])[] = [
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['ational', 'ate'],
  ['ation', 'ate'],
  ['ement', 'e'],
  ['izer', 'ize'],
  ['iser', 'ize'],
  ['ise', 'ize'],
  ['ator', 'ate'],
  ['ly', ''],
]
/** Words that only look inflected. */
const WHOLE = [
  'news',
  'series',
  'species',
  'does',
  'lens',
  'wedding',
  'bing',
  'sms',
  'aws',
  'ios',
  'kubernetes',
  'postgres',
]
const known = new Map<string, string>(WHOLE.map((word) => [word, word]))
const MAX_KNOWN = 50_000

/** One form for the forms of an English word; it need not be a word. */
export function stem(word: string): string {
  if (word.length <= 3) return word
  const before = known.get(word)
  if (before !== undefined) return before
  const result = withoutEnding(withoutSuffix(withoutTense(withoutPlural(word))))
  if (known.size < MAX_KNOWN) known.set(word, result)
  return result
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

function withoutTense(word: string): string {
  const ending = word.endsWith('ing') && word.length > 5 ? 3 : /[^e]ed$/.test(word) && word.length > 4 ? 2 : 0
  const base = word.slice(0, word.length - ending)
  if (ending === 0 || !/[aeiouy]/.test(base)) return word
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
  return /([^aeioulsz])\1$/.test(base) ? base.slice(0, -1) : base
}

function withoutSuffix(word: string): string {
  for (const [suffix, replacement] of SUFFIXES)
    if (word.endsWith(suffix) && word.length - suffix.length >= 3) return word.slice(0, -suffix.length) + replacement
  return word
}

function withoutEnding(word: string): string {
  if (word.length <= 3) return word
  if (word.endsWith('e')) return word.slice(0, -1)
  return word.endsWith('y') ? `${word.slice(0, -1)}i` : word
}
