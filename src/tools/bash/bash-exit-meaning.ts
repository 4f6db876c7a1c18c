import type { ExitMeaning } from '../exit-meaning.js'
import { type DecidingProgram, decidingProgram } from './deciding-program.js'

/** What the exit code of a command means; undefined where it means what it says. */
export function bashExitMeaning(command: string, exitCode: number, output = ''): ExitMeaning | undefined {
  if (exitCode === 0) return undefined
  const general = meaningOfAny(exitCode)
  if (general !== undefined) return general
  const program = decidingProgram(command)
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
  6: 'SIGABRT, which programs send themselves when something is badly wrong',
  7: 'SIGBUS',
  8: 'SIGFPE, an arithmetic error',
  9: 'SIGKILL, often because memory ran out',
  11: 'SIGSEGV, a crash',
  13: 'SIGPIPE, because nobody read its output any more',
  14: 'SIGALRM',
  15: 'SIGTERM',
}

/** Codes that the shell itself gives. */
function meaningOfAny(exitCode: number): ExitMeaning | undefined {
  if (exitCode === 126) return { text: 'the command was found but cannot be executed', isFailure: true }
  if (exitCode === 127) return { text: 'the command was not found', isFailure: true }
  const signal = SIGNALS[exitCode - SIGNAL_BASE]
  return signal === undefined ? undefined : { text: `a program was ended by ${signal}`, isFailure: true }
}

type Meaning = (exitCode: number, program: DecidingProgram) => string | undefined

const one =
  (text: string): Meaning =>
  (exitCode) =>
    exitCode === 1 ? text : undefined

const noMatch = one('no line matches, which is no error')
const isFalse = one('the condition is false, which is no error')

const MEANINGS: Readonly<Record<string, Meaning>> = {
  grep: noMatch,
  egrep: noMatch,
  fgrep: noMatch,
  zgrep: noMatch,
  rg: noMatch,
  ag: noMatch,
  pgrep: one('no process matches, which is no error'),
  diff: one('the inputs differ, which is no error'),
  cmp: one('the files differ, which is no error'),
  test: isFalse,
  '[': isFalse,
  '[[': isFalse,
  '((': one('the result is zero, which is no error'),
  expr: one('the result is empty or zero, which is no error'),
  find: one('some places could not be searched; what was found is listed'),
  which: one('no such program is installed, which is no error'),
  command: (exitCode, { args }) =>
    exitCode === 1 && /^-[vV]$/.test(args[0] ?? '') ? 'there is no such command, which is no error' : undefined,
  git: (exitCode, { args }) => gitMeaning(exitCode, args),
  timeout: (exitCode) => (exitCode === TIMED_OUT ? 'timeout ended the command at its limit' : undefined),
}

function gitMeaning(exitCode: number, args: readonly string[]): string | undefined {
  if (exitCode !== 1) return undefined
  if (args[0] === 'grep') return 'no line matches, which is no error'
  const compares = args[0] === 'diff' && args.some((arg) => ['--exit-code', '--quiet', '--no-index'].includes(arg))
  return compares ? 'there are differences, which is no error' : undefined
}
