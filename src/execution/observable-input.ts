import type { Tool } from '../contract/tool.js'
import type { Input } from './call-states.js'

/** What hooks and permission checks see: a copy with derived fields where the tool adds some, else the input itself. */
export function observableInput(tool: Tool, input: Input): Input {
  if (tool.backfillObservableInput === undefined) return input
  try {
    const copy = copyOf(input)
    tool.backfillObservableInput(copy)
    return copy
  } catch {
    // Fields that could not be derived are missing; what the model sent is still judged.
    return input
  }
}

/** Copied all the way down, or a tool could change inside its observed input what `call` gets. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part)])) as T
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
