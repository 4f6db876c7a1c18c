/** A text in pieces of so many characters, none of which is half of one. */
export function splitText(text: string, length: number): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += length) pieces.push(characters.slice(at, at + length).join(''))
  return pieces
}
