import { PREVIEW_CHARS } from '../contract/limits.js'
import { formatCount } from './format-count.js'
import { previewOf } from './preview.js'

/** What became of the whole text: the file that has it, or why there is none. */
export type StoredText = { readonly path: string } | { readonly problem: string }

/**
 * What the model reads in place of a long text: how long it is, where the rest is, its start and its end.
 * `previewChars` is how much of it is shown; where it is 0, one line says the rest.
 */
export function replacementText(text: string, stored: StoredText, previewChars = PREVIEW_CHARS): string {
  const size = `${formatCount(text.length)} characters (${formatCount(Buffer.byteLength(text))} bytes)`
  if (previewChars <= 0) return `[Long result: ${size}; ${wholePart(stored)}]`
  return `[Long result: ${size}; its start and end are below, ${restPart(stored)}]\n${previewOf(text, previewChars)}`
}

function wholePart(stored: StoredText): string {
  return 'path' in stored ? `it is in ${stored.path}.` : `it could not be kept (${stored.problem}).`
}

function restPart(stored: StoredText): string {
  if ('path' in stored) return `all of it is in ${stored.path}. Read a range of that file, or search it with Grep.`
  return `the rest could not be kept (${stored.problem}). If you need more of it, ask for a smaller part.`
}
