/** A text in pieces of so many characters, none of which is half of one. */
export function piecesOf(text: string, size = Number.POSITIVE_INFINITY): string[] {
  if (text.length <= size) return [text]
  const characters = [...text]
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''))
  return pieces
}
