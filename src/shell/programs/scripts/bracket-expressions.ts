/** Where the bracket expression that starts at `open` ends; none where it does not, or not on its line. */
export function bracketEnd(regex: string, open: number): number | undefined {
  let at = open + (regex[open + 1] === '^' ? 2 : 1)
  if (regex[at] === ']') at += 1
  for (; at < regex.length && regex[at] !== '\n'; at += 1) {
    if (regex[at] === ']') return at
    const close = regex[at] === '[' ? classEnd(regex, at) : at
    if (close === undefined) return undefined
    at = close
  }
  return undefined
}

/** Where a class such as `[:space:]` ends; where it starts if it is none. */
function classEnd(regex: string, open: number): number | undefined {
  const kind = regex[open + 1] ?? ''
  if (kind === '' || !':.='.includes(kind)) return open
  const close = regex.indexOf(`${kind}]`, open + 2)
  return close === -1 ? undefined : close + 1
}

/** Whether a regular expression ends inside brackets: some programs take its delimiter there for one more character. */
export function hasOpenBracket(regex: string): boolean {
  for (let at = 0; at < regex.length; at += 1) {
    if (regex[at] === '\\') at += 1
    else if (regex[at] === '[') {
      const end = bracketEnd(regex, at)
      if (end === undefined) return true
      at = end
    }
  }
  return false
}
