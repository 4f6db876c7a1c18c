import { alignParts } from '../align-parts.js'
import { foldLookAlikes } from './fold-look-alikes.js'
import type { ReplacedLine } from './match.js'

/** A new line with the file's own characters wherever the new line says the same as the old one. */
export function keepRawTokens(line: string, _index: number, replaced: ReplacedLine | undefined): string {
  const rawTokens = replaced === undefined ? undefined : rawTokensOf(replaced)
  if (replaced === undefined || rawTokens === undefined) return line
  const tokens = tokensOf(line)
  const kept = alignParts(tokensOf(replaced.old), tokens)
  return tokens.map((token, at) => rawTokens[kept[at] ?? -1] ?? token).join('')
}

/** For each token of the old line the piece of the file that was taken for it; undefined if a character lies across. */
function rawTokensOf({ raw, old }: ReplacedLine): readonly string[] | undefined {
  const folded = foldLookAlikes(raw)
  const pieces: string[] = []
  let at = 0
  for (const token of tokensOf(old)) {
    const length = foldLookAlikes(`${token}|`).text.length - 1
    const range = folded.original({ start: at, end: at + length })
    if (range === undefined) return undefined
    pieces.push(raw.slice(range.start, range.end))
    at += length
  }
  return pieces
}

function tokensOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|\.{3}|[^\p{L}\p{N}\s]\p{M}*/gu) ?? []
}
