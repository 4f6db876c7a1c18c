/** A line of an attributes file that names a driver. */
export interface AttributeRule {
  readonly attribute: string
  readonly driver: string
  /** Where the file lies, from the root of the working tree: `` or `src/`. */
  readonly folder: string
  /** Null where every path may be meant. */
  readonly pattern: string | null
}

/** The lines that select drivers. What a later line takes back is kept, as are lines that git would leave out. */
export function parseAttributes(text: string, folder: string): readonly AttributeRule[] {
  return text.split('\n').flatMap((line) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const [first = '', ...words] = trimmed.split(/[ \t\r]+/)
    const isPlain = !/^["[]|\\|[*].*[*].*[*].*[*]/s.test(first)
    return words.flatMap((word) => {
      const match = /^(diff|filter)=(.+)$/.exec(word)
      if (match?.[1] === undefined || match[2] === undefined) return []
      return [{ attribute: match[1], driver: match[2], folder, pattern: isPlain ? first : null }]
    })
  })
}

/** Whether the line may be about the path; in doubt it is. */
export function ruleCovers(rule: AttributeRule, path: string): boolean {
  if (rule.pattern === null) return true
  if (!path.toLowerCase().startsWith(rule.folder.toLowerCase())) return false
  const below = path.slice(rule.folder.length)
  const isAnchored = rule.pattern.replace(/\/$/, '').includes('/')
  const subject = isAnchored ? below : below.slice(below.lastIndexOf('/') + 1)
  return matcher(rule.pattern.replace(/^\//, '')).test(subject)
}

function matcher(pattern: string): RegExp {
  // A bracket expression has rules of its own: where one stands, everything from there on may match.
  const plain = pattern.split('[')[0] ?? ''
  const isCut = plain.length < pattern.length
  const source = plain
    .replace(/[.+^${}()|\]\\]/g, '\\$&')
    .replace(/\*+|\?/g, (wild) => (wild === '*' ? '[^/]*' : wild === '?' ? '[^/]' : '.*'))
  return new RegExp(`^${source}${isCut || pattern.endsWith('/') ? '' : '$'}`, 'is')
}
