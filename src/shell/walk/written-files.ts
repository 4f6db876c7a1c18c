import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { baseNameOf } from './possible-effects.js'
import { runsText } from './possible-programs.js'
import type { Walker } from './walker.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Programs that change a file, but not its content. */
const KEEPS_CONTENT = toSet('chmod chown chgrp touch mkdir rm rmdir unlink')
/** Programs that neither run files of their folder nor are configured by them. */
const RUNS_NO_FILES = toSet(
  'git gh curl wget tar zip unzip gzip cp mv ln rm mkdir touch chmod chown kill dd install split',
)

/** Records the files that a command writes, or may write because no table describes it. */
export function recordWrites({ written, start }: Walker, { words, writes, redirects, possible }: SimpleCommand): void {
  const changed = KEEPS_CONTENT.has(words[0] ?? '') ? redirects : [...writes, ...redirects]
  for (const path of changed) {
    const fullPath = joinPath(start, path)
    written.certain.add(fullPath)
    written.isLasting ||= !TEMPORARY.test(fullPath)
  }
  if (possible === undefined || possible.onlyReads === true) return
  for (const path of possible.paths) written.possible.add(joinPath(start, path))
}

/**
 * Whether a command may run a file that the script itself wrote before, or gives a name another meaning. What runs then is
 * known only at run time. A program that no table describes may run or be configured by any file of its folder.
 */
export function mayRunWhatWasWritten(
  { written, start }: Walker,
  [program, ...args]: readonly ShellWord[],
  { isReadOnly, possible }: SimpleCommand,
  settings: readonly ShellWord[],
  { folders }: Scope,
): boolean {
  if (program === undefined || isReadOnly) return false
  if (program.text === 'alias') return true
  const isPlainFile = program.text.includes('/')
  if (possible === undefined && !isPlainFile) return false
  if (RUNS_NO_FILES.has(baseNameOf(program.text)) && !isPlainFile && settings.length === 0) return false
  if (written.isLasting) return true
  if (written.certain.size + written.possible.size === 0) return false
  const named = (folders ?? [start]).flatMap((folder) => [program, ...args].map(({ text }) => joinPath(folder, text)))
  const paths = [...(possible?.paths ?? []), ...(isPlainFile ? named : [])].map((path) => joinPath(start, path))
  const isBelow = (path: string, file: string) => isPathInside(path, file, { platform: 'linux' })
  return (
    paths.some((path) => [...written.certain].some((file) => isBelow(path, file))) ||
    (mayRunFile(program, args) && paths.some((path) => written.possible.has(path)))
  )
}

/** Temporary files matter only to a command that names them. */
const TEMPORARY = /^\/(?:tmp|var\/tmp|dev)\//

/** Whether a program is a file of the script's folder, or an interpreter that may run one. */
function mayRunFile(program: ShellWord, args: readonly ShellWord[]): boolean {
  return program.text.includes('/') || (runsText(baseNameOf(program.text)) && args.length > 0)
}
