import { didYouMean } from '../shared/did-you-mean.js'
import { quote } from '../shared/quote.js'
import { reasonOf } from '../shared/reason-of.js'
import { version } from '../shared/version.js'
import type { Command, CommandIo } from './command.js'
import { EXIT } from './exit-codes.js'
import { commandHelp, helpText } from './help.js'
import { UsageError } from './usage-error.js'

/** Finds the command and runs it. Whatever goes wrong is one line for a person, and an exit code. */
export async function runCli(io: CommandIo, commands: readonly Command[]): Promise<number> {
  try {
    return await dispatch(io, commands)
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`haft: ${oneLine(error.message)}\n`)
      return EXIT.usage
    }
    io.err(`haft: ${oneLine(reasonOf(error))}\n`)
    // The stack is for those who ask for it: it helps nobody else.
    if (io.variables.HAFT_DEBUG && error instanceof Error) io.err(`${error.stack}\n`)
    return EXIT.failed
  }
}

async function dispatch(io: CommandIo, commands: readonly Command[]): Promise<number> {
  const [first, ...rest] = io.args
  if (first === '--version' || first === '-v') return say(io, `${version}\n`)
  if (first === undefined || first === '--help' || first === '-h' || first === 'help')
    return help(io, rest[0], commands)
  if (first.startsWith('-')) throw new UsageError(`there is no option ${quote(first)}. See haft --help.`)
  const command = findCommand(first, commands)
  if (asksForHelp(rest)) return say(io, await commandHelp(command))
  const run = await command.load()
  return run({ ...io, args: rest })
}

/** What stands behind `--` belongs to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return own.includes('--help') || own.includes('-h')
}

async function help(io: CommandIo, topic: string | undefined, commands: readonly Command[]): Promise<number> {
  return say(io, topic === undefined ? helpText(commands) : await commandHelp(findCommand(topic, commands)))
}

function findCommand(name: string, commands: readonly Command[]): Command {
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const known = commands.map((candidate) => candidate.name)
  throw new UsageError(`there is no command ${quote(name)}.${didYouMean(name, known)} See haft --help.`)
}

function say(io: CommandIo, text: string): number {
  io.out(text)
  return EXIT.done
}

function oneLine(message: string): string {
  return message
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
}
