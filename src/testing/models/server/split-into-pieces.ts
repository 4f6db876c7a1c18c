/** Splits a text into pieces of the given number of characters without splitting a character. */
export function splitIntoPieces(text: string, size = Number.POSITIVE_INFINITY): string[] {
  if (text.length <= size) return [text]
  const characters = [...text]
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''))
  return pieces
}
