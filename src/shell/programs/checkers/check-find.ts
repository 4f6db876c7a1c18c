import {
  type FoundNames,
  isKnown,
  knownPartOf,
  mayBeOption,
  type ShellWord,
  toKnownWord,
} from '../../words/shell-word.js'
import type { EffectsDraft } from '../effects.js'
import type { Checker } from './checker.js'

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Tests, actions, operators and options without a value. */
const WORDS_WITHOUT_VALUE = toSet(
  [
    '( ) ! , -a -and -o -or -not -true -false -print -print0 -prune -quit -ls -depth -d -xdev -mount -daystart -follow',
    '-noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -nouser',
    '-nogroup -help --help -version --version -H -L -P',
  ].join(' '),
)
/** Tests, options and actions whose value is neither a file that is opened nor a command that is run. */
const WORDS_WITH_VALUE = toSet(
  [
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -size -perm',
    '-user -group -uid -gid -links -inum -fstype -mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth',
    '-printf -context',
  ].join(' '),
)
/** Tests whose value names a file. Only its metadata is read. */
const FILE_TEST = /^-(?:newer|anewer|cnewer|samefile|newer[aBcmt][aBcm])$/
/** Tests whose value is a date. With a slash it may name the file of a time zone: `TZ=":/file" now`. */
const DATE_TEST = /^-newer[aBcmt]t$/
const RUNNING_ACTIONS = toSet('-exec -execdir -ok -okdir')
const WRITING_ACTIONS = toSet('-fprint -fprint0 -fprintf -fls')

/** Analyses the arguments of `find`: starting points, then an expression of tests and actions. */
export const checkFind: Checker = (words, draft) => {
  const rootsStart = countLeadingOptions(words)
  const expressionStart = words.findIndex((word, index) => index >= rootsStart && isExpression(word))
  const end = expressionStart === -1 ? words.length : expressionStart
  const roots = words.slice(rootsStart, end)
  if (roots.some(mayBeOption)) draft.refuse('has a word that may expand to an action')
  const startingPoints = roots.length === 0 ? [toKnownWord('.')] : roots
  for (const word of startingPoints) draft.reads.push({ word, isTree: true })
  const followsLinks = words.some((word) => isKnown(word) && (word.text === '-L' || word.text === '-follow'))
  if (followsLinks) for (const word of startingPoints) draft.reads.push({ word, isTree: true, followsLinks })
  const search: Search = { words, startingPoints, draft, isNamed: isLimitedToName(words), followsLinks }
  let at = end
  while (at < words.length) at = analyseToken(search, at)
}

interface Search {
  readonly words: readonly ShellWord[]
  /** The words that name where `find` starts; `.` if there are none. */
  readonly startingPoints: readonly ShellWord[]
  readonly draft: EffectsDraft
  /** Whether only entries that match a name pattern are selected. */
  readonly isNamed: boolean
  /** Whether links are followed, so that selected entries may be outside of the starting points. */
  readonly followsLinks: boolean
}

/** Whether all tests must hold, and one of them restricts the name. */
function isLimitedToName(words: readonly ShellWord[]): boolean {
  const tests = testsOf(words)
  return (
    words.every(isKnown) &&
    tests.some(({ name }) => /^-i?name$/.test(name)) &&
    !tests.some(({ name }) => /^(?:[!,(]|-o|-or|-not)$/.test(name))
  )
}

interface Test {
  readonly name: string
  readonly value: string
}

/** Returns the starting points, tests and operators of an expression, without the words of commands that it runs. */
function testsOf(words: readonly ShellWord[]): readonly Test[] {
  const tests: Test[] = []
  for (let at = 0; at < words.length; at = findTokenEnd(words, at))
    tests.push({ name: words[at]?.text ?? '', value: words[at + 1]?.text ?? '' })
  return tests
}

/** Returns the index after a test or an action and its values. */
function findTokenEnd(words: readonly ShellWord[], at: number): number {
  const name = words[at]?.text ?? ''
  if (RUNNING_ACTIONS.has(name)) return findCommandEnd(words, at) + 1
  if (name === '-fprintf') return at + 3
  return (
    at +
    (FILE_TEST.test(name) || DATE_TEST.test(name) || WORDS_WITH_VALUE.has(name) || WRITING_ACTIONS.has(name) ? 2 : 1)
  )
}

/** Returns the index of the word that ends the command of `-exec`, or the number of words if there is none. */
function findCommandEnd(words: readonly ShellWord[], at: number): number {
  let end = at + 1
  const isInteractive = words[at]?.text.startsWith('-ok') === true
  while (end < words.length && !isEnd(words, end, isInteractive)) end += 1
  return end
}

/** Counts the options before the starting points. */
function countLeadingOptions(words: readonly ShellWord[]): number {
  let count = 0
  for (let word = words[0]; word !== undefined && isKnown(word); word = words[count]) {
    if (/^(?:-[HLP]|-O\d)$/.test(word.text)) count += 1
    else if (word.text === '-D') count += 2
    else break
  }
  return count
}

function isExpression(word: ShellWord): boolean {
  return isKnown(word) && (/^-./.test(word.text) || word.text === '(' || word.text === '!' || word.text === ',')
}

/** Analyses one test or action with its value. Returns the index of the next one. */
function analyseToken(search: Search, at: number): number {
  const { words, draft } = search
  const word = words[at]
  if (word === undefined || !isKnown(word)) {
    draft.refuse('has a word that may expand to an action')
    return at + 1
  }
  if (WORDS_WITHOUT_VALUE.has(word.text)) return at + 1
  if (RUNNING_ACTIONS.has(word.text)) return analyseInnerCommand(search, at)
  if (DATE_TEST.test(word.text)) {
    analyseDate(words[at + 1], draft)
    return at + 2
  }
  const isFile = FILE_TEST.test(word.text)
  if (isFile || WORDS_WITH_VALUE.has(word.text)) {
    analyseValue(words[at + 1], isFile, draft)
    return at + 2
  }
  return analyseEffect(search, word.text, at)
}

function analyseValue(value: ShellWord | undefined, isFile: boolean, draft: EffectsDraft): void {
  if (value === undefined) return
  if (!isSafeValue(value)) draft.refuse('has a word that may expand to an action')
  if (isFile) draft.reads.push({ word: value, isTree: false })
}

function analyseDate(value: ShellWord | undefined, draft: EffectsDraft): void {
  if (value === undefined) return
  if (!isKnown(value) || value.text.includes('/')) draft.refuse(`has a date that may name a file: ${value.text}`)
}

/**
 * Whether a word can only be a value. An unquoted glob may expand to several words, each of which could be an option, an action
 * or an operator unless it contains a dot.
 */
function isSafeValue(word: ShellWord): boolean {
  if (word.spread !== 'prefixed') return word.spread === 'one'
  if (/^[\w./]/.test(knownPartOf(word))) return true
  const tail = /[^*?\]})]*$/.exec(word.text.slice(-80))?.[0] ?? ''
  return tail.includes('.')
}

/** Starting points such as `/`, `~` and `..`, below which too much would be deleted even with a name test. */
const WIDE_ROOT = /^(?:\/+|~\/?|(?:\.\.?\/)*\.\.\/?)$/

function analyseEffect({ words, startingPoints, draft, isNamed }: Search, name: string, at: number): number {
  draft.refuse(`has the action ${name}`)
  if (name === '-delete') {
    draft.addRisk('deletes files')
    for (const word of startingPoints) {
      // With a name test, `-delete` in the working folder does not delete everything in it.
      const isTree = !isNamed || WIDE_ROOT.test(word.text)
      if (isTree || !/^[./]*$/.test(word.text)) draft.writes.push({ word, isTree })
    }
  }
  const file = words[at + 1]
  if (!WRITING_ACTIONS.has(name) || file === undefined) return at + 1
  draft.addRisk('writes files')
  draft.writes.push({ word: file, isTree: false })
  return at + (name === '-fprintf' ? 3 : 2)
}

function analyseInnerCommand({ words, startingPoints, draft, followsLinks }: Search, at: number): number {
  if (followsLinks) draft.refuse('runs a command for files outside of the folder')
  const end = findCommandEnd(words, at)
  if (end === words.length) {
    draft.refuse('has a command without an end')
    draft.isUnresolved = true
  }
  const isBatch = words[end]?.text === '+'
  const names = foundNamesOf(words.slice(0, at))
  const innerWords = words.slice(at + 1, end).map((word) => substituteBraces(word, startingPoints, isBatch, names))
  const isElsewhere = words[at]?.text.endsWith('dir') === true
  draft.innerCommands.push({ kind: 'command', words: innerWords, assignments: [], isTransparent: false, isElsewhere })
  return end + 1
}

const ANY_NAMES: FoundNames = { excludesLinks: false, suffix: '' }
/** Operators, options that follow links, and `-D`, whose value may look like a test. */
const WEAKENS_TESTS = /^(?:-o|-or|!|-not|,|\(|-[HLD]|-follow)$/

/**
 * Returns what the tests guarantee about the names that `find` selects. Operators may weaken the tests, and then nothing is
 * guaranteed.
 */
export function foundNamesOf(words: readonly ShellWord[]): FoundNames {
  const tests = testsOf(words)
  if (!words.every(isKnown) || tests.some(({ name }) => WEAKENS_TESTS.test(name))) return ANY_NAMES
  const pattern = tests.find(({ name }) => name === '-name')?.value ?? ''
  return {
    excludesLinks: tests.some(({ name, value }) => name === '-type' && value === 'f'),
    suffix: /^[^\\]*$/.test(pattern) ? (/[^*?\]]*$/.exec(pattern)?.[0] ?? '') : '',
  }
}

/**
 * Whether the command of an action ends here. `-exec` and `-execdir` may also end with `{} +`; `-ok` and `-okdir` end only with
 * `;`.
 */
function isEnd(words: readonly ShellWord[], index: number, isInteractive: boolean): boolean {
  const word = words[index]
  if (word === undefined || !isKnown(word)) return false
  return word.text === ';' || (!isInteractive && word.text === '+' && words[index - 1]?.text === '{}')
}

/** Replaces `{}` with a path that begins with a starting point. It can be an option only if a starting point can. */
function substituteBraces(
  word: ShellWord,
  startingPoints: readonly ShellWord[],
  isBatch: boolean,
  names: FoundNames,
): ShellWord {
  const at = word.text.indexOf('{}')
  if (at === -1) return word
  if (word.text !== '{}') return { text: word.text, knownLength: Math.min(at, word.knownLength), spread: word.spread }
  return {
    text: '{}',
    knownLength: 0,
    spread: isBatch ? 'prefixed' : 'one',
    cannotBeOption: !startingPoints.some(mayBeOption),
    searchRoots: startingPoints,
    names,
  }
}
