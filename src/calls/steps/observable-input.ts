import type { Tool } from '../../contract/tool/tool.js'
import type { Input } from '../call-states.js'
import { copyPlain } from '../copy-plain.js'

/** What hooks and permission checks see: a copy with derived fields where the tool adds some, else the input itself. */
export function observableInput(tool: Tool, input: Input): Input {
  if (tool.backfillObservableInput === undefined) return input
  try {
    const copy = copyPlain(input)
    tool.backfillObservableInput(copy)
    return copy
  } catch {
    // Fields that could not be derived are missing; what the model sent is still judged.
    return input
  }
}
