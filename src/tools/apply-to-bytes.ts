import { bytesAsText, byteText, textOfBytes } from '../shared/text-edit/byte-text.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import { UnencodableTextError } from '../shared/text-edit/encode-text.js'
import { occurrences } from '../shared/text-edit/ladder/find-verbatim.js'
import type { TextEdit } from '../shared/text-edit/plan-edit.js'
import { type AppliedEdits, EditRun } from './edit-run.js'

/** The edits made in the bytes themselves, if each is there as it was sent; undefined leaves them to the whole ladder. */
export function applyToBytes(original: DecodedText, edits: readonly TextEdit[]): AppliedEdits | undefined {
  // A text that has carriage returns takes more than a look at its bytes.
  if (original.encoding !== 'utf-8' || original.bytes.includes(0x0d)) return undefined
  const run = new EditRun(byteText(original))
  for (const edit of edits) {
    const changes = verbatimChanges(run.text, edit)
    if (changes === undefined) return undefined
    run.make({ kind: 'found', strategy: 'verbatim', changes })
  }
  const applied = run.end()
  return { ...applied, changed: { ...applied.changed, readLine: textOfBytes } }
}

function verbatimChanges(text: string, { oldString, newString, replaceAll }: TextEdit) {
  if (oldString.includes('\r') || newString.includes('\r') || replaceAll === true || oldString === '') return undefined
  const searched = sentBytes(oldString)
  const replacement = sentBytes(newString)
  if (searched === undefined || replacement === undefined) return undefined
  const [place, ...others] = occurrences(text, searched)
  if (place === undefined || others.length > 0 || mayCutCharacter(text, searched, place.end)) return undefined
  return [{ ...place, text: replacement }]
}

function sentBytes(text: string): string | undefined {
  try {
    return bytesAsText(text)
  } catch (error) {
    if (error instanceof UnencodableTextError) return undefined
    throw error
  }
}

/** An accent may follow, or begin the text: letters beyond ASCII at its ends are left to those who read characters. */
function mayCutCharacter(text: string, searched: string, end: number): boolean {
  return text.charCodeAt(end) > 0x7f || searched.charCodeAt(0) > 0x7f
}
