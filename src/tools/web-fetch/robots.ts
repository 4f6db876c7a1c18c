interface RobotsRule {
  readonly isAllowed: boolean
  readonly path: string
}

/** The name for which a site can write its own rules in `robots.txt`. */
const PRODUCT = 'haft'
/** Longer files are cut off at this length, as RFC 9309 permits. */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** Whether `robots.txt` allows Haft to fetch a path (RFC 9309). The longest matching rule applies; among rules of equal length, `allow` does. */
export function isAllowedByRobots(robotsText: string, path: string): boolean {
  const groups = parseGroups(robotsText)
  const rules = groups.get(PRODUCT) ?? groups.get('*') ?? []
  let bestRule: RobotsRule | undefined
  for (const rule of rules) {
    if (!matchesPath(rule.path, path)) continue
    const isLonger = bestRule === undefined || rule.path.length > bestRule.path.length
    if (isLonger || (rule.path.length === bestRule?.path.length && rule.isAllowed)) bestRule = rule
  }
  return bestRule?.isAllowed ?? true
}

/** Returns the rules of each user agent. Groups of the same agent are joined. */
function parseGroups(text: string): ReadonlyMap<string, readonly RobotsRule[]> {
  const groups = new Map<string, RobotsRule[]>()
  let currentGroups: RobotsRule[][] = []
  let isInRules = false
  for (const { name, value } of parseLines(text)) {
    if (name !== 'user-agent') {
      isInRules = true
      // An empty path matches nothing.
      if (value !== '') for (const group of currentGroups) group.push({ isAllowed: name === 'allow', path: value })
      continue
    }
    if (isInRules) currentGroups = []
    isInRules = false
    const group = groups.get(value.toLowerCase()) ?? []
    groups.set(value.toLowerCase(), group)
    currentGroups.push(group)
  }
  return groups
}

/** Returns the lines that name an agent or a path. All others are ignored. */
function parseLines(text: string): readonly { readonly name: string; readonly value: string }[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, key = '', value = ''] = /^\s*(user-agent|allow|disallow)\s*:\s*([^#\s]*)/i.exec(line) ?? []
    return key === '' ? [] : [{ name: key.toLowerCase(), value }]
  })
}

/** Matches a path pattern with `*` for any text and `$` for the end. Takes linear time for each `*`. */
function matchesPath(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  const first = parts.shift() ?? ''
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isAnchored ? parts.pop() : undefined
  for (const part of parts) {
    const partIndex = path.indexOf(part, at)
    if (partIndex === -1) return false
    at = partIndex + part.length
  }
  if (!isAnchored) return true
  if (last === undefined) return at === path.length
  return path.length - last.length >= at && path.endsWith(last)
}
