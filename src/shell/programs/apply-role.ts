import { SECTIONS_WITHOUT_CREDENTIALS } from '../git/credentials.js'
import { COMMON_TERMINAL_NAME } from '../words/environment-variables.js'
import { isKnown, knownPartOf, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { Role } from './command-spec.js'
import type { EffectsDraft } from './effects.js'
import { checkAwk } from './scripts/check-awk.js'
import { checkJq, checkYq } from './scripts/check-jq.js'
import { checkSed } from './scripts/check-sed.js'

/** Adds the effects of a word with a role. For the role `command`, `words` are all remaining words. */
export function applyRole(role: Role, words: readonly ShellWord[], draft: EffectsDraft, isTransparent: boolean): void {
  const word = words[0]
  if (word === undefined) return
  switch (role) {
    case 'text':
      return
    case 'assignments':
      draft.addAssignment(word)
      return
    case 'archive':
      if (!isKnown(word) || word.text.includes(':')) draft.refuse(`opens the archive ${word.text}`)
      if (word.text !== '-') draft.reads.push({ word, isTree: false })
      return
    case 'compressed':
    case 'zip':
    case 'key':
    case 'document':
    case 'named':
      addNamedFile(role, word, draft)
      return
    case 'paged':
      addFile('viewed', word, draft)
      if (!isStartPosition(word)) addNamedFile('compressed', word, draft)
      return
    case 'reads':
    case 'tree':
    case 'followed':
    case 'searched':
      addRead(role, word, draft)
      return
    case 'attributed':
      addRead('reads', word, draft)
      addAttributeFiles(word, draft)
      return
    case 'object':
      addFile('viewed', word, draft)
      draft.reads.push({ word, isTree: false, mustNotBeArchive: true })
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
      if (!isKnown(word) || !SINK_PATHS.has(word.text)) addWrite(word, false, draft)
      return
    case 'prefix':
      addWrite(toPrefixWord(word), false, draft)
      return
    case 'moves':
      draft.reads.push({ word, isTree: true })
      addWrite(word, true, draft)
      return
    case 'writes':
    case 'into':
    case 'deletes':
      addWrite(word, role === 'deletes', draft)
      return
    case 'format':
    case 'name':
    case 'pattern':
    case 'terminal':
    case 'processes':
    case 'columns':
    case 'definition':
    case 'identifier':
    case 'mode':
    case 'number':
    case 'port':
    case 'setting':
    case 'charset':
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
    case 'elsewhere':
      draft.refuse(`runs in the folder ${word.text}`)
      draft.isInnerElsewhere = true
      return
    case 'command':
      draft.innerCommands.push({
        ...{ kind: 'command', words, assignments: draft.assignments, isTransparent },
        ...(draft.isInnerElsewhere && { isElsewhere: true }),
      })
      return
    case 'shell':
      draft.innerCommands.push({ kind: 'script', script: word, isTransparent })
      return
    default:
      addScript(role, word, draft)
      return
  }
}

function addRead(role: 'reads' | 'tree' | 'followed' | 'searched', word: ShellWord, draft: EffectsDraft): void {
  if (word.text === '-') return
  draft.reads.push({
    word,
    isTree: role === 'tree' || role === 'searched',
    ...(role === 'followed' && { followsLinks: true, readsFolder: true }),
    ...(role === 'searched' && { hasIgnoreFiles: true }),
  })
}

/**
 * Adds the attribute files in the folders of a path. Git reads them even where it ignores the folder, so their folders may be
 * unexamined.
 */
function addAttributeFiles(word: ShellWord, draft: EffectsDraft): void {
  if (!isKnown(word)) draft.refuse(`reads the attributes of ${word.text}`)
  const names = word.text.split('/')
  // The last name may be a folder as well.
  for (let count = 1; count <= names.length; count++) {
    const folder = names.slice(0, count).join('/')
    if (folder !== '') draft.reads.push({ word: toKnownWord(`${folder}/.gitattributes`), isTree: false })
  }
}

type NamedRole = 'compressed' | 'zip' | 'key' | 'document' | 'named'

/** The suffixes that programs append to a file name that they are given. */
const SUFFIXES_BY_ROLE: Readonly<Record<NamedRole, readonly string[]>> = {
  compressed: ['', '.gz', '-gz', '.z', '-z', '_z', '.Z', '.tgz', '.taz', '.bz2', '.bz', '.xz', '.zst'],
  zip: ['', '.zip', '.ZIP', '.7z'],
  key: ['', '.pub', '-cert.pub'],
  document: [''],
  named: [''],
}

/**
 * Names that a program may read as an option, a pattern or another file. Some of the programs are shell scripts, which may
 * evaluate backslashes and quotes.
 */
const MISLEADING_NAMES: Readonly<Record<NamedRole, RegExp>> = {
  compressed: /^-.|[\\'"`\n]/,
  zip: /^-|[*?[\\'"`\n]/,
  key: /^-/,
  document: /^-.|[:%]/,
  named: /^-/,
}

/** Returns the texts to which a word may expand; undefined if they are not known. */
function namesOf(word: ShellWord): readonly string[] | undefined {
  return word.alternatives ?? (isKnown(word) ? [word.text] : undefined)
}

/** Adds a file that the program may open under other names than the given one. */
function addNamedFile(role: NamedRole, word: ShellWord, draft: EffectsDraft): void {
  const names = word.searchRoots === undefined ? namesOf(word) : undefined
  if (names === undefined) {
    const isFound =
      word.searchRoots !== undefined || word.globs !== undefined || role === 'compressed' || role === 'named'
    if (!isFound) draft.refuse(`opens ${word.text}`)
    draft.reads.push({ word, isTree: false })
    return
  }
  for (const name of names) {
    if (MISLEADING_NAMES[role].test(name)) draft.refuse(`has the operand ${name}`)
    if (name === '-') continue
    for (const suffix of SUFFIXES_BY_ROLE[role]) {
      const file = { ...toKnownWord(name + suffix), isQuoted: word.isQuoted }
      draft.reads.push({ word: file, isTree: false })
    }
  }
}

function addFile(role: 'viewed' | 'opened' | 'local', word: ShellWord, draft: EffectsDraft): void {
  if (role === 'viewed' && isStartPosition(word)) return
  if (!isPlainFile(role, word)) draft.refuse(`has the operand ${word.text}`)
  if (role === 'viewed' && word.text.startsWith('+')) draft.isUnresolved = true
  if (word.text !== '-') draft.reads.push({ word, isTree: false })
}

/** Whether the word is a start position for a pager: a line number such as `+5`, or `+G` for the end. */
function isStartPosition(word: ShellWord): boolean {
  return isKnown(word) && /^\+(?:\d{1,9}|G)$/.test(word.text)
}

/** Whether the word, as far as it is known, can only be read as a file name by the program. */
function isPlainFile(role: 'viewed' | 'opened' | 'local', word: ShellWord): boolean {
  if (role === 'opened') return ![word.text, ...(word.alternatives ?? [])].some((text) => text.startsWith('/inet'))
  if (role === 'local') return isKnown(word) && !/^[+]|[,@]/.test(word.text)
  return word.knownLength > 0 && !/^[+@]/.test(word.text)
}

/** Devices that discard what is written to them, or pass it to the output of the command. */
export const SINK_PATHS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty'])

function addWrite(word: ShellWord, isDeleted: boolean, draft: EffectsDraft): void {
  draft.writes.push({ word: withoutSlash(word), isTree: false })
  draft.problems.push(isDeleted ? 'deletes files' : 'writes files')
  draft.addRisk(isDeleted ? 'deletes files' : 'writes files')
}

/** Marks the written name as unknown, unless the prefix ends with a separator, as in `part_`: then the prefix itself is judged. */
function toPrefixWord(word: ShellWord): ShellWord {
  return isKnown(word) && !/[A-Za-z0-9][-_]$/.test(word.text) ? { ...word, text: `${word.text}…` } : word
}

/** Removes trailing slashes, which would mean that everything below the folder is written. */
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
 * Returns a pattern for XPath without functions that open other documents or run programs, such as `document('…')`. A name
 * before a parenthesis must be a function or axis of XPath 1.0 that reads only the document itself.
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
  if (draft.runFolder !== undefined || !isKnown(word) || !PLAIN_FOLDER.test(word.text))
    draft.refuse(`runs in the folder ${word.text}`)
  else draft.runFolder = word
}

/** A relative folder without `..`. */
const PLAIN_FOLDER = /^(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9_.][A-Za-z0-9_./-]*$/

/**
 * Returns a pattern for settings of a section without credentials, and for `list`, a subcommand of newer versions. `remote` is
 * accepted although its URL may contain a password, because that password is in the repository itself.
 */
function createSettingPattern(): RegExp {
  return new RegExp(
    `^(?:${[...SECTIONS_WITHOUT_CREDENTIALS, 'remote'].join('|')})[.].|^credential[.]helper$|^list$`,
    'i',
  )
}

const OPERAND_PATTERNS = {
  name: /^[^/]*$/,
  pattern: /^[^-\\'"`\r\n][^\\'"`\r\n]*$/,
  terminal: COMMON_TERMINAL_NAME,
  // `ps` reads `-auxe` like `auxe`, and names of users may be clusters of such letters, too.
  processes: /^(?![acfghjlmnrsuvwxACEFHLMSTVWXZ\d]*e)(?!.*environ)[\w,.:=%+/-]*$/,
  columns: /^(?!.*environ)[^\0]*$/,
  definition: /^(?!(?:ARGV|ARGC|SYMTAB|FUNCTAB|PROCINFO|ENVIRON|OFMT|CONVFMT)=)[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/,
  number: /^[+-]?\d{1,18}$/,
  identifier: /^[A-Za-z_][A-Za-z0-9_-]*$/,
  mode: /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|\+[euxvf]+)$/,
  port: /^:\d{1,5}$/,
  setting: createSettingPattern(),
  charset: /^[\w.:+-]+(?:\/\/(?:TRANSLIT|IGNORE)?)*$/i,
  parameter: /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./*-]*$/,
  xpath: createXPathPattern(),
  variable: /^(?:[A-Z]|FOO|BAR|BAZ|QUX|CI|DEBUG|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES)$/,
  refused: /^(?!)/,
}

function matchesPattern(role: 'format' | keyof typeof OPERAND_PATTERNS, word: ShellWord): boolean {
  if (role === 'definition') return OPERAND_PATTERNS.definition.test(knownPartOf(word)) && word.spread === 'one'
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
