/** Rules as the command line has them: separated by commas or spaces, those inside parentheses left alone. */
export function splitRules(written: readonly string[]): readonly string[] {
  return written.flatMap(splitOne)
}

function splitOne(text: string): readonly string[] {
  const rules: string[] = []
  let depth = 0
  let rule = ''
  for (const character of text) {
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule)
      rule = ''
      continue
    }
    if (character === '(') depth++
    if (character === ')') depth = Math.max(0, depth - 1)
    rule += character
  }
  return [...rules, rule].filter((each) => each !== '')
}
