import { isKnown } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
import type { Checker } from './checker.js'

const SHELL: CommandUsage = {
  options: { flags: '-c -e -u -x -f -s --norc --noprofile --posix', values: '-o' },
  style: 'posix',
}

/** `bash -c SCRIPT`: the script counts. A shell without one runs its input, or a file that nobody has read. */
export const checkShell: Checker = (words, draft) => {
  const [flag, file] = words
  if (words.length === 2 && flag?.text === '-n' && file !== undefined && isKnown(file) && /^[^+-]/.test(file.text)) {
    // It reads the script, and runs nothing of it.
    draft.reads.push({ word: file, isTree: false })
    return
  }
  const { problem, options, operands } = parseArguments(SHELL, words)
  if (problem !== undefined) {
    draft.refuse(problem)
    runAnyScript(words.findIndex((word) => isKnown(word) && /^-[a-zA-Z]*c$/.test(word.text)))
    return
  }
  // A lone dash only ends the options.
  const [first] = operands[0]?.text === '-' ? operands.slice(1) : operands
  if (options.has('-c') && first !== undefined) {
    draft.inner.push({ kind: 'script', script: first, isTransparent: true })
    return
  }
  draft.refuse('runs a script')
  draft.addRisk('runs a script')
  draft.readsScript = first === undefined || options.has('-s')
  // Behind options that begin with a plus, or in a pipe, stands no file that somebody could have read.
  if (first !== undefined && (!isKnown(first) || first.text.startsWith('+'))) draft.isUnresolved = true

  /** Options that are not known do not hide the script from rules that deny something. */
  function runAnyScript(at: number): void {
    const script = words[at + 1]
    if (at !== -1 && script !== undefined) draft.inner.push({ kind: 'script', script, isTransparent: false })
    else draft.isUnresolved = true
  }
}

/** What bash reads otherwise than a smaller shell, to which it may be a redirection or the end of a quoted text. */
const ONLY_BASH =
  /\$['[]|\[\[|(?<!\$)\(\(|[<>]\(|&>|<<<|\|&|\$\{[^}]*['"\\`]|\$\{?(?:E?UID|E?RANDOM|SECONDS|LINENO|BASHPID|EPOCHSECONDS)\b/

/** `sh -c SCRIPT`: on many machines that is not bash. */
export const checkSmallShell: Checker = (words, draft) => {
  checkShell(words, draft)
  const isDoubtful = draft.inner.some((each) => each.kind === 'script' && ONLY_BASH.test(each.script.text))
  if (!isDoubtful && !draft.readsScript) return
  draft.refuse('a script that a smaller shell may read otherwise')
  draft.isUnresolved = true
}
