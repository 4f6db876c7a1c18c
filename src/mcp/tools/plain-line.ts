import { plainOutput } from '../../shared/plain-output.js'

/** Characters that are not seen and change what is: they turn text around, hide it, or spell out words for a model alone. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g

/** Text by an outsider as both a person and the model will see it. */
export function plainText(text: string): string {
  return plainOutput(text).replace(UNSEEN, '')
}

/** The same in one line of at most so many characters. */
export function plainLine(text: string, maxChars: number): string {
  return cutText(
    plainText(text.slice(0, maxChars * 4))
      .replace(/\s+/g, ' ')
      .trim(),
    maxChars,
  )
}

/** Cut so that the mark of the cut still fits, and no character is cut in two. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
