import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import type { Role } from './command-spec.js'
import type { EffectsDraft } from './effects.js'
import { checkAwk } from './scripts/check-awk.js'
import { checkJq, checkYq } from './scripts/check-jq.js'
import { checkSed } from './scripts/check-sed.js'

/** Adds the effects of a word with a role. For the role `command`, `words` are all remaining words. */
export function applyRole(role: Role, words: readonly ShellWord[], draft: EffectsDraft, isTransparent: boolean): void {
  const [word] = words
  if (word === undefined) return
  switch (role) {
    case 'text':
      return
    case 'assignments':
      draft.assignments.push(word)
      return
    case 'archive':
      if (!isKnown(word) || word.text.includes(':')) draft.refuse(`opens the archive ${word.text}`)
      if (word.text !== '-') draft.reads.push({ word, isTree: false })
      return
    case 'compressed':
      addCompressed(word, draft)
      return
    case 'reads':
    case 'tree':
    case 'followed':
      addRead(role, word, draft)
      return
    case 'viewed':
    case 'opened':
    case 'local':
      addFile(role, word, draft)
      return
    case 'folder':
      addFolder(word, draft)
      return
    case 'output':
      if (!isKnown(word) || !SINKS.has(word.text)) addWrite(word, false, draft)
      return
    case 'writes':
    case 'into':
    case 'deletes':
      addWrite(word, role === 'deletes', draft)
      return
    case 'format':
    case 'name':
    case 'identifier':
    case 'mode':
    case 'number':
    case 'port':
    case 'setting':
    case 'parameter':
    case 'xpath':
    case 'variable':
    case 'refused':
      if (!matchesPattern(role, word)) draft.refuse(`has the operand ${word.text}`)
      return
    case 'runs':
      draft.refuse(`has the value ${word.text}`)
      draft.isUnresolved = true
      return
    case 'command':
      draft.inner.push({ kind: 'command', words, assignments: draft.assignments, isTransparent })
      return
    case 'shell':
      draft.inner.push({ kind: 'script', script: word, isTransparent })
      return
    default:
      addScript(role, word, draft)
      return
  }
}

function addRead(role: 'reads' | 'tree' | 'followed', word: ShellWord, draft: EffectsDraft): void {
  if (word.text === '-') return
  draft.reads.push({ word, isTree: role === 'tree', ...(role === 'followed' && { followsLinks: true }) })
}

const COMPRESSED_SUFFIXES = [
  '',
  '.gz',
  '-gz',
  '.z',
  '-z',
  '_z',
  '.Z',
  '.tgz',
  '.taz',
  '.bz2',
  '.bz',
  '.xz',
  '.zst',
  '.zip',
  '.ZIP',
]

function addCompressed(word: ShellWord, draft: EffectsDraft): void {
  if (word.text === '-') return
  if (!isKnown(word) || word.below !== undefined) {
    draft.reads.push({ word, isTree: false })
    return
  }
  for (const suffix of COMPRESSED_SUFFIXES) {
    const text = word.text + suffix
    draft.reads.push({ word: { ...word, text, knownLength: text.length }, isTree: false })
  }
}

function addFile(role: 'viewed' | 'opened' | 'local', word: ShellWord, draft: EffectsDraft): void {
  if (role === 'viewed' && isStartPosition(word)) return
  if (!isPlainFile(role, word)) draft.refuse(`has the operand ${word.text}`)
  if (role === 'viewed' && word.text.startsWith('+')) draft.isUnresolved = true
  if (word.text !== '-') draft.reads.push({ word, isTree: false })
}

/** Whether the word is a start position in a file: a line number, or `+G` for the end. */
function isStartPosition(word: ShellWord): boolean {
  return isKnown(word) && /^\+(?:\d{1,9}|G)$/.test(word.text)
}

/** Whether the word has no meaning for the program other than the name of a file, as far as it is known. */
function isPlainFile(role: 'viewed' | 'opened' | 'local', word: ShellWord): boolean {
  if (role === 'opened') return ![word.text, ...(word.alternatives ?? [])].some((text) => text.startsWith('/inet'))
  if (role === 'local') return isKnown(word) && !/^[+]|[,@]/.test(word.text)
  return word.knownLength > 0 && !/^[+@]/.test(word.text)
}

/** Devices that only pass on or discard the content that they receive. */
export const SINKS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty'])

function addWrite(word: ShellWord, isDeleted: boolean, draft: EffectsDraft): void {
  draft.writes.push({ word: withoutSlash(word), isTree: false })
  draft.problems.push(isDeleted ? 'deletes files' : 'writes files')
  draft.addRisk(isDeleted ? 'deletes files' : 'writes files')
}

/** Removes trailing slashes, which would mean that everything below is written. */
function withoutSlash(word: ShellWord): ShellWord {
  if (!isKnown(word)) return word
  const text = word.text.replace(/(.)\/{1,64}$/, '$1')
  return { ...word, text, knownLength: text.length }
}

/** Adds the path of each source inside the target, in case the target is a folder. */
export function addTargets(sources: readonly ShellWord[], target: ShellWord, draft: EffectsDraft): void {
  if (!isKnown(target)) return
  for (const source of sources.filter(isKnown)) {
    const name = withoutSlash(source).text.split('/').at(-1)
    const text = `${withoutSlash(target).text}/${name}`
    draft.writes.push({ word: { ...target, text, knownLength: text.length }, isTree: false })
  }
}

/**
 * XPath without calls of functions that open other documents or run programs, such as `document('…')`. A name before a
 * parenthesis must be one of the functions and axes of XPath 1.0 that read only the document.
 */
function createXPathPattern(): RegExp {
  const functions =
    'text|node|comment|count|name|local-name|namespace-uri|contains|starts-with|string|position|last|not|boolean|true|false|' +
    'normalize-space|concat|string-length|substring|substring-before|substring-after|translate|sum|number|floor|ceiling|round'
  const axes =
    'ancestor|ancestor-or-self|attribute|child|descendant|descendant-or-self|following|following-sibling|parent|preceding|' +
    'preceding-sibling|self'
  const name = '[A-Za-z_](?:[\\w.-]|:(?!:))*(?![\\w.-])(?!\\s*\\(|::)'
  return new RegExp(
    `^(?:'[^']*'|"[^"]*"|(?:${functions})\\(|(?:${axes})::|${name}|[\\d\\s/@*.,=<>!+|()[\\]$-]){1,400}$`,
  )
}

function addFolder(word: ShellWord, draft: EffectsDraft): void {
  if (draft.runsIn !== undefined || !isKnown(word) || !PLAIN_FOLDER.test(word.text))
    draft.refuse(`runs in the folder ${word.text}`)
  else draft.runsIn = word
}

/** A relative folder without `..`. */
const PLAIN_FOLDER = /^(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9_.][A-Za-z0-9_./-]*$/

const OPERAND_PATTERNS = {
  name: /^[^/]*$/,
  number: /^[+-]?\d{1,18}$/,
  identifier: /^[A-Za-z_][A-Za-z0-9_-]*$/,
  mode: /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|\+[euxvf]+)$/,
  port: /^:\d{1,5}$/,
  setting: /^(?:list$|[^.]+[.].)/,
  parameter: /^[A-Za-z0-9_][A-Za-z0-9_./*-]*$/,
  xpath: createXPathPattern(),
  variable: /^(?:[A-Z]|FOO|BAR|BAZ|QUX|CI|DEBUG|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES)$/,
  refused: /^(?!)/,
}

function matchesPattern(role: 'format' | keyof typeof OPERAND_PATTERNS, word: ShellWord): boolean {
  if (role === 'format') return knownPartOf(word).startsWith('+') && word.spread === 'one'
  return isKnown(word) && OPERAND_PATTERNS[role].test(word.text)
}

const SCRIPT_CHECKERS = { sed: checkSed, awk: checkAwk, jq: checkJq, yq: checkYq }

function addScript(language: keyof typeof SCRIPT_CHECKERS, word: ShellWord, draft: EffectsDraft): void {
  const texts = word.alternatives ?? (isKnown(word) ? [word.text] : undefined)
  if (texts === undefined) {
    draft.refuse(`runs a ${language} script that is known only at run time`)
    return
  }
  for (const text of texts) {
    const { problem, mayRun, reads, writes } = SCRIPT_CHECKERS[language](text)
    if (problem !== undefined) draft.refuse(problem)
    if (mayRun) draft.isUnresolved = true
    draft.reads.push(...reads.map((file) => ({ word: file, isTree: false })))
    for (const file of writes) addWrite(file, false, draft)
  }
}
