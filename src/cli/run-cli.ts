import { quote } from '../shared/quote.js'
import { reasonOf } from '../shared/reason-of.js'
import { version } from '../shared/version.js'
import type { Command, CommandIo } from './io/command.js'
import { EXIT, ExitError, UnknownOptionError, UsageError } from './io/exit.js'

/** The commands that run the agent: `print` for one prompt (`haft -p`), `interactive` in the terminal. */
export interface Agents {
  readonly print: Command
  readonly interactive: Command
}

/** Finds and runs the command. Every error becomes one line on standard error and an exit code. */
export async function runCli(io: CommandIo, commands: readonly Command[], agents?: Agents): Promise<number> {
  try {
    return await dispatch(io, commands, agents)
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`haft: ${toOneLine(error.message)}${await suggestOption(error)}\n`)
      return EXIT.usage
    }
    io.err(`haft: ${toOneLine(reasonOf(error))}\n`)
    if (error instanceof ExitError) return error.exitCode
    // The stack is only useful to developers.
    if (io.variables.HAFT_DEBUG && error instanceof Error) io.err(`${error.stack}\n`)
    return EXIT.failed
  }
}

async function dispatch(io: CommandIo, commands: readonly Command[], agents: Agents | undefined): Promise<number> {
  const [firstArg, ...otherArgs] = io.args
  if (firstArg === '--version' || firstArg === '-v') return print(io, `${version}\n`)
  if (firstArg === undefined && agents !== undefined && io.isTerminal) return runCommand(agents.interactive, io, [])
  if (firstArg === undefined || firstArg === '--help' || firstArg === '-h' || firstArg === 'help')
    return printHelp(io, commands, otherArgs[0] && (await findCommand(otherArgs[0], commands, agents?.print)))
  if (agents !== undefined && isAgentCall(io.args, commands)) return runCommand(chooseAgent(io, agents), io, io.args)
  return runCommand(await findCommand(firstArg, commands), io, otherArgs)
}

async function runCommand(command: Command, io: CommandIo, args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return printHelp(io, [], command)
  const run = await command.load()
  return run(withArgs(io, args))
}

function chooseAgent({ args, isTerminal }: CommandIo, { print, interactive }: Agents): Command {
  const isPrintMode = args.includes('-p') || args.includes('--print') || args.some(isStreamInput) || asksForHelp(args)
  return isPrintMode || !isTerminal ? print : interactive
}

/** Whether the argument says that a program drives the session, as the Agent SDK does without `-p`. */
function isStreamInput(argument: string, index: number, args: readonly string[]): boolean {
  if (argument === '--input-format=stream-json') return true
  return argument === 'stream-json' && args[index - 1] === '--input-format'
}

/** Copies getters as getters: reading `columns` loads Node's code for terminals. */
function withArgs(io: CommandIo, args: readonly string[]): CommandIo {
  const property = { value: args, enumerable: true, configurable: true }
  return Object.create(null, { ...Object.getOwnPropertyDescriptors(io), args: property })
}

/**
 * Whether the arguments are for the agent. A prompt may come before the options. A single unknown word is more likely a
 * misspelt command.
 */
function isAgentCall(args: readonly string[], commands: readonly Command[]): boolean {
  const [first = ''] = args
  if (commands.some(({ name }) => name === first)) return false
  return first.startsWith('-') || first.includes(' ') || args.includes('-p') || args.includes('--print')
}

/** Whether the arguments ask for help. Those after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const ownArguments = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return ownArguments.includes('--help') || ownArguments.includes('-h')
}

/** Prints the help of a command, or the general help. */
async function printHelp(io: CommandIo, commands: readonly Command[], command?: Command | ''): Promise<number> {
  const { formatCommandHelp, formatHelp } = await import('./help.js')
  return print(io, await (command ? formatCommandHelp(command, io.columns) : formatHelp(commands, io.columns)))
}

async function findCommand(name: string, commands: readonly Command[], agent?: Command): Promise<Command> {
  const command = name === agent?.name ? agent : commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const { didYouMean } = await import('../shared/nearest-names.js')
  const knownNames = commands.map((candidate) => candidate.name)
  throw new UsageError(`unknown command ${quote(name)}.${didYouMean(name, knownNames)} See haft --help.`)
}

async function suggestOption(error: UsageError): Promise<string> {
  if (!(error instanceof UnknownOptionError)) return ''
  const { didYouMean } = await import('../shared/nearest-names.js')
  const knownNames = Object.keys(error.knownOptions).map((name) => `--${name}`)
  return didYouMean(`--${error.optionName}`, knownNames)
}

function print(io: CommandIo, text: string): number {
  io.out(text)
  return EXIT.done
}

function toOneLine(message: string): string {
  return message
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
}
