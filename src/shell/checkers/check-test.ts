import { isKnown, type ShellWord } from '../shell-word.js'
import type { Checker } from './checker.js'

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/

/** `test` and `[`: only `-v` and `-R` evaluate what they are given, so no other word may become one of them. */
export const checkTest: Checker = (words, draft) => {
  const last = words.at(-1)
  const inner = last !== undefined && last.text === ']' ? words.slice(0, -1) : words
  if (inner.some((word) => isKnown(word) && /^-[vR]$/.test(word.text))) draft.refuse('a name that is evaluated')
  if (!isClear(inner)) draft.refuse('a condition that is not known before it runs')
}

function isClear(words: readonly ShellWord[]): boolean {
  if (words.some((word) => word.spread !== 'one' && word.isPlain !== true)) return false
  if (words.every((word) => isKnown(word) || word.isNoOption === true || word.isPlain === true)) return true
  const [first, second, third] = words
  if (first !== undefined && words.length > 1 && first.text === '!' && isKnown(first)) return isClear(words.slice(1))
  if (words.length === 1) return true
  if (words.length === 2) return first !== undefined && isKnown(first) && UNARY.test(first.text)
  return (
    words.length === 3 && second !== undefined && third !== undefined && isKnown(second) && BINARY.test(second.text)
  )
}
