import { ToolCallError } from '../contract/errors.js'
import { changeDecodedText } from '../shared/text-edit/change-decoded-text.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import { encodeText, UnencodableTextError } from '../shared/text-edit/encode-text.js'
import type { TextChange } from '../shared/text-edit/text-change.js'

/** A changed text; a character that the file cannot hold is the model's to replace. */
export function encoded(text: DecodedText, changes: readonly TextChange[]): DecodedText {
  return orExplain(() => changeDecodedText(text, changes))
}

/** New files are UTF-8, with the line endings that were sent. */
export function encodedNew(content: string): Uint8Array {
  return orExplain(() => encodeText(content, 'utf-8'))
}

function orExplain<T>(encode: () => T): T {
  try {
    return encode()
  } catch (error) {
    if (error instanceof UnencodableTextError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}
