import type { ExitingProgram } from '../../contract/command.js'
import type { ExitMeaning } from '../commands/run-command.js'

/** The meaning of an exit code that is not plain success or failure; undefined for all others. */
export function bashExitMeaning(
  program: ExitingProgram | undefined,
  exitCode: number,
  output = '',
): ExitMeaning | undefined {
  if (exitCode === 0) return undefined
  const general = meaningOfAny(exitCode)
  if (general !== undefined) return general
  if (program === undefined) return undefined
  const text = MEANINGS[program.name]?.(exitCode, program)
  if (text === undefined) return undefined
  const mayBeFolder = program.followsCd && /(?:^|\n)[^\n]*\bcd: /.test(output)
  return mayBeFolder ? undefined : { text, isFailure: exitCode === TIMED_OUT }
}

const TIMED_OUT = 124
const SIGNAL_BASE = 128

const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL, an invalid instruction',
  6: 'SIGABRT, an internal error of the program',
  7: 'SIGBUS',
  8: 'SIGFPE, an arithmetic error',
  9: 'SIGKILL, often because of too little memory',
  11: 'SIGSEGV, a crash',
  13: 'SIGPIPE, because the reader of its output ended',
  14: 'SIGALRM',
  15: 'SIGTERM',
}

/** Codes of the shell itself. */
function meaningOfAny(exitCode: number): ExitMeaning | undefined {
  if (exitCode === 126) return { text: 'the command was found but cannot be executed', isFailure: true }
  if (exitCode === 127) return { text: 'the command was not found', isFailure: true }
  const signal = SIGNALS[exitCode - SIGNAL_BASE]
  return signal === undefined ? undefined : { text: `a program was ended by ${signal}`, isFailure: true }
}

type Meaning = (exitCode: number, program: ExitingProgram) => string | undefined

const one =
  (text: string): Meaning =>
  (exitCode) =>
    exitCode === 1 ? text : undefined

const noMatch = one('no line matches, which is not an error')
const isFalse = one('the condition is false, which is not an error')

const MEANINGS: Readonly<Record<string, Meaning>> = {
  grep: noMatch,
  egrep: noMatch,
  fgrep: noMatch,
  zgrep: noMatch,
  rg: noMatch,
  ag: noMatch,
  pgrep: one('no process matches, which is not an error'),
  diff: one('the inputs differ, which is not an error'),
  cmp: one('the files differ, which is not an error'),
  test: isFalse,
  '[': isFalse,
  '[[': isFalse,
  '((': one('the result is zero, which is not an error'),
  expr: one('the result is empty or zero, which is not an error'),
  find: one('some folders could not be searched; the results are incomplete'),
  which: one('no such program is installed, which is not an error'),
  command: (exitCode, { args }) =>
    exitCode === 1 && /^-[vV]$/.test(args[0] ?? '') ? 'there is no such command, which is not an error' : undefined,
  git: (exitCode, { args }) => gitMeaning(exitCode, args),
  timeout: (exitCode) => (exitCode === TIMED_OUT ? 'timeout ended the command' : undefined),
}

function gitMeaning(exitCode: number, args: readonly string[]): string | undefined {
  if (exitCode !== 1) return undefined
  if (args[0] === 'grep') return 'no line matches, which is not an error'
  const compares = args[0] === 'diff' && args.some((arg) => ['--exit-code', '--quiet', '--no-index'].includes(arg))
  return compares ? 'there are differences, which is not an error' : undefined
}
