import { formatCount } from './format-count.js'
import { previewOf } from './preview.js'

/** What became of the whole text: the file that has it, or why there is none. */
export type StoredText = { readonly path: string } | { readonly problem: string }

/** What the model reads in place of a long text: how long it is, where the rest is, its start and its end. */
export function replacementText(text: string, stored: StoredText): string {
  const size = `${formatCount(text.length)} characters (${formatCount(Buffer.byteLength(text))} bytes)`
  return `[Long result: ${size}; ${shownPart(stored)}]\n${previewOf(text)}`
}

function shownPart(stored: StoredText): string {
  if ('path' in stored) {
    return `its start and end are below, all of it is in ${stored.path}. Read a range of that file, or search it with Grep.`
  }
  return `its start and end are below, the rest could not be kept (${stored.problem}). If you need more of it, ask for a smaller part.`
}
