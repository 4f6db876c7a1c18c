import { didYouMean } from '../../shared/did-you-mean.js'
import { FILE_TYPES } from './file-types.js'

/** What often goes wrong in a pattern, by what is said of it, and how to write it. */
const ADVICE: readonly (readonly [says: RegExp, advice: string])[] = [
  [/repetition|quantifier/i, 'Meant as themselves, these are written \\{ \\} \\* \\+ \\?, as in "interface\\{\\}".'],
  [/unclosed group|unopened group|parenthes/i, 'A parenthesis meant as itself is written \\( or \\), as in "main\\(".'],
  [/character class/i, 'A bracket meant as itself is written \\[, as in "args\\[0\\]".'],
  [/unrecognized escape/i, 'Leave out the backslash before characters that have no meaning of their own.'],
]

/** The message of a search that could not be made, with advice on how to ask. */
export function explainQuery(message: string, type: string | undefined): string {
  const said = message.replace(/([^.])$/, '$1.')
  if (type !== undefined && /file type/.test(message)) return `${said}${didYouMean(type, FILE_TYPES)}`
  const found = ADVICE.find(([says]) => says.test(message))
  return found === undefined ? said : `${said} ${found[1]}`
}
