import { type Command, type CommandNode, type PipelineNode, parse, type Statement } from 'unbash'
import type { ExitMeaning } from '../commands/run-command.js'

/** The meaning of an exit code that is not plain success or failure; undefined for all others. */
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

type Meaning = (exitCode: number, program: DecidingProgram) => string | undefined

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

/** The program that determines the exit code of the command line. */
interface DecidingProgram {
  readonly name: string
  readonly args: readonly string[]
  /** Follows `cd … &&`: if `cd` fails, the exit code is that of `cd`. */
  readonly followsCd: boolean
}

/** These change the meaning of the exit codes of later commands. */
const CHANGES_CODES = new Set(['set', 'shopt', 'trap', 'exit', 'exec', 'source', '.', 'eval', 'alias'])

/** Undefined if the code may come from several programs, or not from a program at all. */
function decidingProgram(command: string): DecidingProgram | undefined {
  try {
    const { commands, errors } = parse(command)
    const last = commands.at(-1)
    if ((errors?.length ?? 0) > 0 || last === undefined || last.background === true) return undefined
    return commands.some(changesCodes) ? undefined : ofStatement(last)
  } catch {
    // A command that cannot be parsed is not explained.
    return undefined
  }
}

function changesCodes({ command }: Statement): boolean {
  const nodes = command.type === 'AndOr' ? command.commands : [command]
  return nodes.some((node) => node.type === 'Command' && CHANGES_CODES.has(nameOf(node) ?? ''))
}

function ofStatement({ command }: Statement): DecidingProgram | undefined {
  if (command.type !== 'AndOr') return ofPipeline(command, false)
  const last = command.commands.at(-1)
  if (last === undefined) return undefined
  if (command.operators.at(-1) === '||') return ofPipeline(last, false)
  const before = command.commands.slice(0, -1)
  const onlyMoves = command.operators.every((operator) => operator === '&&') && before.every(isCd)
  return onlyMoves ? ofPipeline(last, true) : undefined
}

function ofPipeline(node: PipelineNode, followsCd: boolean): DecidingProgram | undefined {
  if (node.type !== 'Pipeline') return ofCommand(node, followsCd)
  const last = node.commands.at(-1)
  const isNegated = node.prefixes.some(({ type }) => type === 'Negation')
  return isNegated || last === undefined ? undefined : ofCommand(last, followsCd)
}

function ofCommand(node: CommandNode, followsCd: boolean): DecidingProgram | undefined {
  if (node.type === 'TestCommand') return { name: '[[', args: [], followsCd }
  if (node.type === 'ArithmeticCommand') return { name: '((', args: [], followsCd }
  const name = node.type === 'Command' ? nameOf(node) : undefined
  if (node.type !== 'Command' || name === undefined) return undefined
  return { name, args: node.args.map(({ text }) => text), followsCd }
}

/** The program name without its folder; undefined if it is known only at run time. */
function nameOf({ name }: Command): string | undefined {
  if (name === undefined || /[$`*?{~]/.test(name.text)) return undefined
  return name.value.slice(name.value.lastIndexOf('/') + 1)
}

function isCd(node: PipelineNode): boolean {
  return node.type === 'Command' && nameOf(node) === 'cd'
}
