/** What often goes wrong in a pattern, by what ripgrep says of it, and how to write it. */
const ADVICE: readonly (readonly [says: RegExp, advice: string])[] = [
  [
    /look-around|look-ahead|look-behind/i,
    'There is no look-around. Search for the whole pattern without it, and pick out what you need; to leave lines out, search for what they have and compare.',
  ],
  [
    /backreference/i,
    'There are no backreferences. Write the repeated part out, or search for one half and read around it.',
  ],
  [
    /repetition|quantifier|decimal/i,
    'A brace, star, plus or question mark that is meant itself is written with a backslash: \\{ \\} \\* \\+ \\?, as in "interface\\{\\}".',
  ],
  [
    /unclosed group|unopened group/i,
    'A parenthesis that is meant itself is written with a backslash: \\( or \\), as in "main\\(".',
  ],
  [
    /unclosed character class|unclosed class/i,
    'A bracket that is meant itself is written with a backslash: \\[, as in "args\\[0\\]".',
  ],
  [/unrecognized escape/i, 'Only characters with a meaning of their own take a backslash; leave it out before others.'],
  [/literal .{0,6}\\n/i, 'A pattern with a line end in it needs multiline: true.'],
]

/** The message of a search that could not be made, with advice on how to write it. */
export function explainQuery(message: string): string {
  const found = ADVICE.find(([says]) => says.test(message))
  return found === undefined ? message : `${message}\n${found[1]}`
}
