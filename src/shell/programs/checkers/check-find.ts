import { isKnown, knownWord, mayBeOption, type ShellWord } from '../../words/shell-word.js'
import type { EffectsDraft } from '../effects.js'
import type { Checker } from './checker.js'

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Tests and actions that stand alone. */
const ALONE = names(
  [
    '( ) ! , -a -and -o -or -not -true -false -print -print0 -prune -quit -ls -depth -d -xdev -mount -daystart -follow',
    '-noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -nouser',
    '-nogroup -help --help -version --version -H -L -P',
  ].join(' '),
)
/** Tests that take one word, which is data. */
const ONE_WORD = names(
  [
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -size -perm',
    '-user -group -uid -gid -links -inum -fstype -mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth',
    '-printf -context',
  ].join(' '),
)
/** Tests that take the name of a file, which is only looked at. */
const ONE_FILE = /^-(?:newer|anewer|cnewer|samefile|newer[aBcmt]{2})$/
const RUNS = names('-exec -execdir -ok -okdir')
const WRITES = names('-fprint -fprint0 -fprintf -fls')
/** No glob can become one of these where its own end is none of theirs. */
const HARMFUL = [...RUNS, ...WRITES, '-delete', '-files0-from']

/** `find`: start points, then an expression of tests and actions. */
export const checkFind: Checker = (words, draft) => {
  const first = leadingOptions(words)
  const expression = words.findIndex((word, index) => index >= first && isExpression(word))
  const end = expression === -1 ? words.length : expression
  const roots = words.slice(first, end)
  if (roots.some(mayBeOption)) draft.refuse('a word that may become an action')
  const below = roots.length === 0 ? [knownWord('.')] : roots
  for (const word of below) draft.reads.push({ word, isTree: true })
  let at = end
  while (at < words.length) at = takeToken({ words, below, draft }, at)
}

interface Search {
  readonly words: readonly ShellWord[]
  /** The start points. */
  readonly below: readonly ShellWord[]
  readonly draft: EffectsDraft
}

/** How many words are options that stand before the start points. */
function leadingOptions(words: readonly ShellWord[]): number {
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

/** Takes one test or action with its words, and gives where the next one stands. */
function takeToken(search: Search, at: number): number {
  const { words, draft } = search
  const word = words[at]
  if (word === undefined || !isKnown(word)) {
    draft.refuse('a word that may become an action')
    return at + 1
  }
  if (ALONE.has(word.text)) return at + 1
  if (RUNS.has(word.text)) return takeCommand(search, at)
  const isFile = ONE_FILE.test(word.text)
  if (isFile || ONE_WORD.has(word.text)) {
    takeValue(words[at + 1], isFile, draft)
    return at + 2
  }
  return takeHarm(search, word.text, at)
}

function takeValue(value: ShellWord | undefined, isFile: boolean, draft: EffectsDraft): void {
  if (value === undefined) return
  if (!isOneValue(value)) draft.refuse('a word that may become an action')
  if (isFile) draft.reads.push({ word: value, isTree: false })
}

/** A glob without quotes may become several words, which matters only if one could be an action. */
function isOneValue({ spread, text }: ShellWord): boolean {
  if (spread !== 'prefixed') return spread === 'one'
  const tail = /[^*?\]})]*$/.exec(text.slice(-80))?.[0] ?? ''
  return tail !== '' && !HARMFUL.some((name) => name.endsWith(tail))
}

function takeHarm({ words, below, draft }: Search, name: string, at: number): number {
  draft.refuse(`the action ${name}`)
  if (name === '-delete') {
    draft.addRisk('deletes files')
    // The folder of the line itself is not named: what is deleted there is not told by it.
    for (const word of below) if (!/^[./]*$/.test(word.text)) draft.writes.push({ word, isTree: false })
  }
  const file = words[at + 1]
  if (!WRITES.has(name) || file === undefined) return at + 1
  draft.addRisk('writes files')
  draft.writes.push({ word: file, isTree: false })
  return at + 2
}

function takeCommand({ words, below, draft }: Search, at: number): number {
  let end = at + 1
  const isAsked = words[at]?.text.startsWith('-ok') === true
  while (end < words.length && !isEnd(words, end, isAsked)) end += 1
  if (end === words.length) {
    draft.refuse('a command that does not end')
    draft.isUnresolved = true
  }
  const isMany = words[end]?.text === '+'
  const inner = words.slice(at + 1, end).map((word) => putIn(word, below, isMany))
  const isElsewhere = words[at]?.text.endsWith('dir') === true
  draft.inner.push({ kind: 'command', words: inner, assignments: [], isTransparent: false, isElsewhere })
  return end + 1
}

/** Only `-exec` ends at a plus, too. */
function isEnd(words: readonly ShellWord[], index: number, isAsked: boolean): boolean {
  const word = words[index]
  if (word === undefined || !isKnown(word)) return false
  return word.text === ';' || (!isAsked && word.text === '+' && words[index - 1]?.text === '{}')
}

/** `{}` becomes a path that starts like one of the start points, so never an option where none of those is one. */
function putIn(word: ShellWord, below: readonly ShellWord[], isMany: boolean): ShellWord {
  const at = word.text.indexOf('{}')
  if (at === -1) return word
  if (word.text !== '{}') return { text: word.text, known: Math.min(at, word.known), spread: word.spread }
  return { text: '{}', known: 0, spread: isMany ? 'prefixed' : 'one', isNoOption: !below.some(mayBeOption), below }
}
