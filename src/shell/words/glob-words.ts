import { isKnown, knownPartOf, type ShellWord, toKnownWord } from './shell-word.js'

/** Matches braces and other expansions, `..`, and a pattern with a leading dot, which may match `..`. */
const POSSIBLE_PARENT_SEGMENT = /[{$`]|\.\.|(?:^|\/)\.[*?[@+!(]/

/** Returns the literal folder before the pattern of a glob, below which all its files are; undefined for any other word. */
export function folderWordOf(word: ShellWord): ShellWord | undefined {
  if (word.spread !== 'prefixed') return undefined
  const knownText = knownPartOf(word)
  const folder = knownText.slice(0, knownText.lastIndexOf('/') + 1)
  if (POSSIBLE_PARENT_SEGMENT.test(word.text.slice(folder.length))) return undefined
  return { ...toKnownWord(folder === '' ? '.' : folder), isQuoted: word.isQuoted === true }
}

/**
 * Whether the word expands to files whose names are checked before the command runs. A name that starts with a dash, or
 * that would be split into such words, then needs approval.
 */
export function isFoundName(word: ShellWord): boolean {
  if (word.globs !== undefined)
    return word.globs.every((glob) => (isKnown(glob) ? !glob.text.startsWith('-') : folderWordOf(glob) !== undefined))
  if (word.searchRoots !== undefined) return word.names?.mustBePlain === true
  return word.hasPattern === true && folderWordOf(word) !== undefined
}
