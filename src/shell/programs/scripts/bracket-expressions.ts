/** Returns the end of the bracket expression that starts at `open`; undefined if it does not end on its line. */
export function findBracketEnd(regex: string, open: number): number | undefined {
  let at = open + (regex[open + 1] === '^' ? 2 : 1)
  if (regex[at] === ']') at += 1
  for (; at < regex.length && regex[at] !== '\n'; at += 1) {
    if (regex[at] === ']') return at
    const close = regex[at] === '[' ? findClassEnd(regex, at) : at
    if (close === undefined) return undefined
    at = close
  }
  return undefined
}

/** Returns the end of a class such as `[:space:]`, or `open` if there is no class; undefined if it is not closed. */
function findClassEnd(regex: string, open: number): number | undefined {
  const kind = regex[open + 1] ?? ''
  if (kind === '' || !':.='.includes(kind)) return open
  const close = regex.indexOf(`${kind}]`, open + 2)
  return close === -1 ? undefined : close + 1
}

/** Whether a regular expression ends inside brackets, where some programs treat the delimiter as an ordinary character. */
export function hasOpenBracket(regex: string): boolean {
  for (let at = 0; at < regex.length; at += 1) {
    if (regex[at] === '\\') at += 1
    else if (regex[at] === '[') {
      const end = findBracketEnd(regex, at)
      if (end === undefined) return true
      at = end
    }
  }
  return false
}
