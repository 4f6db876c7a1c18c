import { isKnown, mayBeOption } from '../shell-word.js'
import type { Checker } from './checker.js'

/** A format that sets the variable which it is given to the number of characters so far. */
const SETS = /%[^%A-Za-z]*n/

/** `printf`: the option `-v` sets a variable, and evaluates its subscript. */
export const checkPrintf: Checker = (words, draft) => {
  const [first] = words
  if (first === undefined) return
  const isEnd = isKnown(first) && first.text === '--'
  if (!isEnd && mayBeOption(first)) draft.refuse('printf may set a variable')
  const [format, ...values] = isEnd ? words.slice(1) : words
  if (format === undefined || (values.length === 0 && format.spread === 'one')) return
  if (!isKnown(format) || SETS.test(format.text)) draft.refuse('a format that may set a variable')
}
