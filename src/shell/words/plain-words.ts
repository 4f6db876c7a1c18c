/** Characters without a special meaning anywhere, or quoted text without expansions. */
const PIECE = /'[^']*'|"[^"$`\\!]*"|[A-Za-z0-9_./,:@%+=-]+/
const WORD = new RegExp(`(?:${PIECE.source})+`, 'y')
const PIECES = new RegExp(PIECE, 'g')
const SPACE = /[ \t]*/y

/** Returns the words of a command, without their quotes; undefined if a shell would do more than split words and remove quotes. */
export function plainWords(command: string): readonly string[] | undefined {
  const words: string[] = []
  let at = take(SPACE, command, 0)?.length ?? 0
  while (at < command.length) {
    const word = take(WORD, command, at)
    if (word === undefined) return undefined
    words.push(word.replace(PIECES, withoutQuotes))
    const end = at + word.length
    at = end + (take(SPACE, command, end)?.length ?? 0)
  }
  return words
}

function take(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}

function withoutQuotes(piece: string): string {
  return /^['"]/.test(piece) ? piece.slice(1, -1) : piece
}
