import { isKnown, mayBeOption } from '../shell-word.js'
import type { Checker } from './checker.js'

/** `printf`: the option `-v` sets a variable, and evaluates its subscript. */
export const checkPrintf: Checker = ([first], draft) => {
  if (first === undefined || (isKnown(first) && first.text === '--')) return
  if (mayBeOption(first)) draft.refuse('printf may set a variable')
}
