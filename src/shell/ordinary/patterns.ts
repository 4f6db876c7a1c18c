import { isKnown, type ShellWord } from '../words/shell-word.js'
import type { OperandKind } from './use.js'

/** A word that no shell and no other language would evaluate: a name, a path, a URL or a pattern for files. */
export const PLAIN_WORD = /^[\w\u00a1-\uffff./@%+,:=~^*?{}[\]!#-]*$/
/** Like `PLAIN_WORD`, but with blanks: arguments of scripts may be sentences. */
export const PLAIN_TEXT = /^[\w\u00a1-\uffff ./@%+,:=~^*?{}[\]!#-]*$/
/** A folder with programs of dependencies. */
export const DEPENDENCY_FOLDER = /(?:^|\/)(?:node_modules|\.yarn)\//
/** A module of the project, or a module of a dependency that is intended to be loaded. Other modules may be programs. */
export const MODULE =
  /^(?!.*(?:node_modules|\.yarn)\/)(?:\.{1,2}\/(?!.*\.\.\/.*\.\.\/)[\w@./-]+|(?:tests?|spec|scripts|src|lib|__tests__)\/(?!.*\.\.)[\w@./-]+|(?:@[\w.-]+\/)?\w[\w.-]*(?:\/(?:register|esm|cjs|config|loader|hooks?|auto|import|test|setup|preload)\b[\w./-]*)?)$/
/** A file near the project, or a pattern for such files. Packages are excluded, because a program may load a file as a module. */
const NEARBY_FILE =
  /^(?!\/|(?:.*\/)?(?:\.\.\/){3}|(?:.*\/)?(?:node_modules|\.yarn)\/)[\w\u00a1-\uffff@./*?{},+!^~=:()|-]*$/
/** A script of the project, or of a folder beside it. */
export const SCRIPT_FILE = /^(?:\.\/)?(?:\.\.\/){0,2}(?!\.\.|-)[\w@.+*?-]+(?:\/(?!\.\.)[\w@.+*?-]+)*\/?$/
/** The path of a file or folder with code or settings. Whether it is near the project is checked separately. */
export const CODE_PATH = /^(?!-)[\w@.+/-]*$/

/** The name of a script in `package.json`. `npm run env` runs its arguments. */
const SCRIPT_NAME = /^(?!env$)[\w.:@/*{},+-]+$/
/** Words that no shell expands. */
const UNEXPANDED_TEXT = /^[\w\u00a1-\uffff ./@%+,:=-]*$/
const NEVER_MATCHES = /^(?!)/

const OPERANDS: Readonly<Record<OperandKind, RegExp>> = {
  any: PLAIN_WORD,
  files: NEARBY_FILE,
  none: NEVER_MATCHES,
  urls: /^(?:https?:\/\/)?(?!file:)[\w.-]+(?::\d+)?(?:[/?#][\w./?&=%~:@+,#-]*)?$/,
  // Excluded are pathspecs with wildcards or magic, and URLs that name a program, as in `ext::`.
  git: /^(?!:)(?!.*::)[\w\u00a1-\uffff./@+,:=~^{}#-]*$/,
  // Also accepts make variables that recipes use as a path or a switch.
  targets: /^[\w./:%+@-]+$|^(?:V|VERBOSE|DEBUG|PREFIX|prefix|DESTDIR)=[\w./-]*$/,
  queries: /^(?:select|show|describe|explain)\b[\w *,.=<>-]*$|^[\w./-]+$/i,
  numbers: /^\d+$/,
  assignments: NEVER_MATCHES,
  script: NEVER_MATCHES,
  scriptName: PLAIN_TEXT,
  remoteCommand: UNEXPANDED_TEXT,
  arguments: PLAIN_TEXT,
  command: NEVER_MATCHES,
  commands: NEVER_MATCHES,
}

/** Whether a word may be the operand with this index, for operands of this kind. */
export function isOperand(word: ShellWord, kind: OperandKind, index: number): boolean {
  if (kind === 'commands') return isKnown(word)
  // Variables that have an effect are judged with the commands after them.
  if (kind === 'assignments')
    return word.spread === 'one' && /^[A-Za-z_]\w*(?:=|$)/.test(word.text.slice(0, word.knownLength))
  return isPlainWord(word, kind === 'scriptName' && index === 0 ? SCRIPT_NAME : OPERANDS[kind])
}

/** A `file:` URL anywhere in a word: a program may open the local file that it names. */
const FILE_URL = /(?:^|[^\w])file:/i
/** A glob without expansions. The files that it matches are checked separately: none may start with a dash. */
const GLOB = /^[\w./@*?[\]{},:+-]+$/

/** Whether a word is known and plain, or is a pattern that the shell replaces by names of files. */
export function isPlainWord(word: ShellWord, pattern: RegExp): boolean {
  if (word.alternatives !== undefined)
    return word.spread === 'one' && word.alternatives.every((text) => !text.startsWith('-') && pattern.test(text))
  if (isKnown(word)) return pattern.test(word.text) && !FILE_URL.test(word.text)
  if (pattern === NEVER_MATCHES) return false
  if (word.globs !== undefined && word.spread === 'one') return word.cannotBeOption === true
  return word.hasPattern === true && word.spread === 'prefixed' && GLOB.test(word.text)
}
