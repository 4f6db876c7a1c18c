import { isKnown } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
import type { Checker } from './checker.js'

/**
 * Shell options that change neither how a script is parsed nor which folders and variables it uses. Excluded are, for example,
 * `keyword` and `posix`.
 */
const SHELL_MODES = 'pipefail errexit nounset xtrace verbose noglob noclobber'

const SHELL_USAGE: CommandUsage = {
  options: { flags: '-c -e -u -x -f -s --norc --noprofile', choices: { '-o': SHELL_MODES } },
  style: 'posix',
}

const USES_PARAMETERS = /\$\{?[\d@*]|\b(?:for|shift|select|set)\b/

/**
 * `bash -c SCRIPT` has the effects of its script. Without `-c`, the shell runs its standard input or a file of unknown
 * content.
 */
export const checkShell: Checker = (words, draft) => {
  const [flag, file] = words
  if (words.length === 2 && flag?.text === '-n' && file !== undefined && isKnown(file) && /^[^+-]/.test(file.text)) {
    // `-n` only checks the syntax.
    draft.reads.push({ word: file, isTree: false })
    return
  }
  const { problem, options, operands } = parseArguments(SHELL_USAGE, words)
  if (problem !== undefined) {
    draft.refuse(problem)
    addPossibleScript(words.findIndex((word) => isKnown(word) && /^-[a-zA-Z]*c$/.test(word.text)))
    return
  }
  // A single dash ends the options, like `--`.
  const [scriptOrFile, ...parameters] = operands[0]?.text === '-' ? operands.slice(1) : operands
  if (options.has('-c') && scriptOrFile !== undefined) {
    // A script that uses its parameters may read the files that they name, and everything below them.
    const touchedParameters = USES_PARAMETERS.test(scriptOrFile.text) ? parameters : []
    for (const word of touchedParameters) draft.reads.push({ word, isTree: false }, { word, isTree: true })
    draft.innerCommands.push({ kind: 'script', script: scriptOrFile, isTransparent: true })
    return
  }
  draft.refuse('runs a script')
  draft.addRisk('runs a script')
  draft.readsScript = scriptOrFile === undefined || options.has('-s')
  // If the word starts with a plus or is unknown, it may be an option, so it is unknown which file runs.
  if (scriptOrFile !== undefined && (!isKnown(scriptOrFile) || scriptOrFile.text.startsWith('+')))
    draft.isUnresolved = true

  /** Lists a script that follows unknown options, so that deny rules apply to it. */
  function addPossibleScript(at: number): void {
    const script = words[at + 1]
    // `--rcfile FILE` runs a file before the script.
    if (words.some(({ text }) => /^--?(?:rc|init)/.test(text))) draft.isUnresolved = true
    if (at !== -1 && script !== undefined) draft.innerCommands.push({ kind: 'script', script, isTransparent: false })
    else draft.isUnresolved = true
  }
}

/** Bash syntax that a POSIX shell parses differently, for example as a redirection. */
const BASH_SYNTAX =
  /\$['[]|\[\[|(?<!\$)\(\(|[<>]\(|&>|<<<|\|&|\$\{[^}]*['"\\`]|\$\{?(?:E?UID|E?RANDOM|SECONDS|LINENO|BASHPID|EPOCHSECONDS)\b/

/** Scripts in which quotes cannot be removed with a regular expression. */
const NESTED_QUOTES = /[#`]|<<|\$[({]/
const QUOTED_TEXT = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs

function hasBashSyntax(script: string): boolean {
  if (BASH_SYNTAX.test(script)) return true
  // A POSIX shell does not expand `{a,b}`.
  const words = NESTED_QUOTES.test(script) ? [script] : script.replace(QUOTED_TEXT, '_').split(/[\s;&|<>()]/)
  return words.some(
    (word) => /,|\.\./.test(word.slice(word.indexOf('{') + 1, word.lastIndexOf('}') + 1)) && word.includes('{'),
  )
}

/** For `sh -c SCRIPT`: on many systems, `sh` is not bash. */
export const checkPosixShell: Checker = (words, draft) => {
  checkShell(words, draft)
  const isAmbiguous = draft.innerCommands.some(
    (innerCommand) => innerCommand.kind === 'script' && hasBashSyntax(innerCommand.script.text),
  )
  if (!isAmbiguous && !draft.readsScript) return
  draft.refuse('has a script that a POSIX shell may parse differently')
  draft.isUnresolved = true
}
