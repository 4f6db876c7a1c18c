import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
import { isKnown } from '../shell-word.js'
import type { Checker } from './checker.js'

const SHELL: CommandUsage = {
  options: { flags: '-c -e -u -x -f -s --norc --noprofile --posix', values: '-o' },
  style: 'posix',
}

/** `bash -c SCRIPT`: the script counts. A shell without one runs its input, or a file that nobody has read. */
export const checkShell: Checker = (words, draft) => {
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

  /** Options that are not known do not hide the script from rules that deny something. */
  function runAnyScript(at: number): void {
    const script = words[at + 1]
    if (at !== -1 && script !== undefined) draft.inner.push({ kind: 'script', script, isTransparent: false })
    else draft.isUnresolved = true
  }
}
