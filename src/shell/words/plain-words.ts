import { isTooLarge } from './is-too-large.js'

/** Characters without a special meaning in any position, or quoted text without expansions. */
const WORD_PIECE = /'[^']*'|"[^"$`\\!]*"|[A-Za-z0-9_./,:@%+=-]+/
const WORD = new RegExp(`(?:${WORD_PIECE.source})+`, 'y')
const WORD_PIECES = new RegExp(WORD_PIECE, 'g')
const BLANKS = /[ \t]*/y
const QUOTE = /['"]/

/** Returns the words of a command without their quotes; undefined if a shell would do more than split words and remove quotes. */
export function splitPlainWords(command: string): readonly string[] | undefined {
  if (isTooLarge(command)) return undefined
  const words: string[] = []
  let at = matchAt(BLANKS, command, 0)?.length ?? 0
  while (at < command.length) {
    const word = matchAt(WORD, command, at)
    if (word === undefined) return undefined
    words.push(QUOTE.test(word) ? word.replace(WORD_PIECES, withoutQuotes) : word)
    const end = at + word.length
    at = end + (matchAt(BLANKS, command, end)?.length ?? 0)
  }
  return words
}

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}

function withoutQuotes(piece: string): string {
  return /^['"]/.test(piece) ? piece.slice(1, -1) : piece
}
