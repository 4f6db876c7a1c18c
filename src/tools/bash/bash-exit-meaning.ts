import type { ExitingProgram } from '../../contract/command.js'
import type { ExitMeaning } from '../commands/run-command.js'

/** Returns what an exit code means if it is more specific than success or failure; otherwise undefined. */
export function findBashExitMeaning(
  program: ExitingProgram | undefined,
  exitCode: number,
  output = '',
): ExitMeaning | undefined {
  if (exitCode === 0) return undefined
  const shellMeaning = findShellExitMeaning(exitCode)
  if (shellMeaning !== undefined) return shellMeaning
  if (program === undefined) return undefined
  const text = EXIT_DESCRIPTIONS[program.name]?.(exitCode, program)
  if (text === undefined) return undefined
  const mayBeFromCd = program.followsCd && /(?:^|\n)[^\n]*\bcd: /.test(output)
  return mayBeFromCd ? undefined : { text, isFailure: exitCode === TIMEOUT_EXIT_CODE }
}

const TIMEOUT_EXIT_CODE = 124
const SIGNAL_BASE = 128

const SIGNAL_MEANINGS: Readonly<Record<number, string>> = {
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

/** Returns the meaning of exit codes that the shell itself produces. */
function findShellExitMeaning(exitCode: number): ExitMeaning | undefined {
  if (exitCode === 126) return { text: 'the command was found but cannot be executed', isFailure: true }
  if (exitCode === 127) return { text: 'the command was not found', isFailure: true }
  const signal = SIGNAL_MEANINGS[exitCode - SIGNAL_BASE]
  return signal === undefined ? undefined : { text: `a program was ended by ${signal}`, isFailure: true }
}

type DescribeExit = (exitCode: number, program: ExitingProgram) => string | undefined

const describeExitOne =
  (text: string): DescribeExit =>
  (exitCode) =>
    exitCode === 1 ? text : undefined

const describeNoMatch = describeExitOne('no line matches, which is not an error')
const explainFalseCondition = describeExitOne('the condition is false, which is not an error')

const EXIT_DESCRIPTIONS: Readonly<Record<string, DescribeExit>> = {
  grep: describeNoMatch,
  egrep: describeNoMatch,
  fgrep: describeNoMatch,
  zgrep: describeNoMatch,
  rg: describeNoMatch,
  ag: describeNoMatch,
  pgrep: describeExitOne('no process matches, which is not an error'),
  diff: describeExitOne('the inputs differ, which is not an error'),
  cmp: describeExitOne('the files differ, which is not an error'),
  test: explainFalseCondition,
  '[': explainFalseCondition,
  '[[': explainFalseCondition,
  '((': describeExitOne('the result is zero, which is not an error'),
  expr: describeExitOne('the result is empty or zero, which is not an error'),
  find: describeExitOne('some folders could not be searched; the results are incomplete'),
  which: describeExitOne('no such program is installed, which is not an error'),
  command: (exitCode, { args }) =>
    exitCode === 1 && /^-[vV]$/.test(args[0] ?? '') ? 'there is no such command, which is not an error' : undefined,
  git: (exitCode, { args }) => findGitMeaning(exitCode, args),
  timeout: (exitCode) => (exitCode === TIMEOUT_EXIT_CODE ? 'timeout ended the command' : undefined),
}

function findGitMeaning(exitCode: number, args: readonly string[]): string | undefined {
  if (exitCode !== 1) return undefined
  if (args[0] === 'grep') return 'no line matches, which is not an error'
  const isComparison = args[0] === 'diff' && args.some((arg) => ['--exit-code', '--quiet', '--no-index'].includes(arg))
  return isComparison ? 'there are differences, which is not an error' : undefined
}
