import { bracketEnd } from './bracket-end.js'

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
