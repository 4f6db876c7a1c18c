import type { SimpleCommand } from '../../contract/command.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { baseNameOf } from './possible-effects.js'
import { runsText } from './possible-programs.js'
import type { Walker } from './walker.js'

/** Programs that change a file, but not its content. */
const KEEPS_CONTENT: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp', 'touch', 'mkdir'])

/** Records the files that a command writes. */
export function recordWrites({ written, start }: Walker, { words, writes, redirects }: SimpleCommand): void {
  const changed = KEEPS_CONTENT.has(words[0] ?? '') ? redirects : [...writes, ...redirects]
  for (const path of changed) written.add(joinPath(start, path))
}

/**
 * Whether a command runs a file that the script itself wrote before, or gives a name another meaning. What runs then is
 * known only at run time.
 */
export function mayRunWhatWasWritten(
  { written, start }: Walker,
  [program, ...args]: readonly ShellWord[],
  { isReadOnly }: SimpleCommand,
  { folders }: Scope,
): boolean {
  if (program === undefined || isReadOnly) return false
  if (program.text === 'alias') return true
  if (written.size === 0) return false
  const files = program.text.includes('/') ? [program] : runsText(baseNameOf(program.text)) ? scriptFilesOf(args) : []
  return files.some(({ text }) => (folders ?? [start]).some((folder) => written.has(joinPath(folder, text))))
}

/** The first operand, and the values that options may have before it. */
function scriptFilesOf(args: readonly ShellWord[]): readonly ShellWord[] {
  const end = args.findIndex((word, index) => isOperand(word) && !(index > 0 && !isOperand(args[index - 1] ?? word)))
  return args.slice(0, end === -1 ? args.length : end + 1).filter(isOperand)
}

function isOperand({ text }: ShellWord): boolean {
  return !text.startsWith('-')
}
