import { quote } from '../shared/quote.js'
import { reasonOf } from '../shared/reason-of.js'
import { version } from '../shared/version.js'
import type { Command, CommandIo } from './io/command.js'
import { EXIT, ExitError, UsageError } from './io/exit.js'

/** Finds and runs the command. Every error becomes one line on standard error and an exit code. */
export async function runCli(io: CommandIo, commands: readonly Command[], agent?: Command): Promise<number> {
  try {
    return await dispatch(io, commands, agent)
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`haft: ${toOneLine(error.message)}\n`)
      return EXIT.usage
    }
    io.err(`haft: ${toOneLine(reasonOf(error))}\n`)
    if (error instanceof ExitError) return error.exitCode
    // The stack is only useful to developers.
    if (io.variables.HAFT_DEBUG && error instanceof Error) io.err(`${error.stack}\n`)
    return EXIT.failed
  }
}

async function dispatch(io: CommandIo, commands: readonly Command[], agent: Command | undefined): Promise<number> {
  const [firstArg, ...otherArgs] = io.args
  if (firstArg === '--version' || firstArg === '-v') return print(io, `${version}\n`)
  if (firstArg === undefined || firstArg === '--help' || firstArg === '-h' || firstArg === 'help')
    return printHelp(io, otherArgs[0], commands, agent)
  if (agent !== undefined && isAgentCall(io.args, commands)) return runCommand(agent, io, io.args)
  return runCommand(await findCommand(firstArg, commands), io, otherArgs)
}

async function runCommand(command: Command, io: CommandIo, args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) return print(io, await formatCommandHelp(command))
  const run = await command.load()
  return run(withArgs(io, args))
}

/** Copies getters as getters: reading `columns` loads Node's code for terminals. */
function withArgs(io: CommandIo, args: readonly string[]): CommandIo {
  return Object.create(null, { ...Object.getOwnPropertyDescriptors(io), args: { value: args, enumerable: true } })
}

/** A prompt may come before the options. A single unknown word is more likely a misspelt command. */
function isAgentCall(args: readonly string[], commands: readonly Command[]): boolean {
  const [first = ''] = args
  if (commands.some(({ name }) => name === first)) return false
  return first.startsWith('-') || first.includes(' ') || args.includes('-p') || args.includes('--print')
}

/** Arguments after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const ownArguments = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return ownArguments.includes('--help') || ownArguments.includes('-h')
}

async function printHelp(
  io: CommandIo,
  topic: string | undefined,
  commands: readonly Command[],
  agent: Command | undefined,
): Promise<number> {
  if (topic === undefined) return print(io, formatHelp(commands))
  return print(io, await formatCommandHelp(topic === agent?.name ? agent : await findCommand(topic, commands)))
}

async function findCommand(name: string, commands: readonly Command[]): Promise<Command> {
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const { didYouMean } = await import('../shared/nearest-names.js')
  const knownNames = commands.map((candidate) => candidate.name)
  throw new UsageError(`unknown command ${quote(name)}.${didYouMean(name, knownNames)} See haft --help.`)
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

function formatHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'haft: a tool system for AI agents',
    '',
    'Usage: haft -p "PROMPT" [OPTIONS]     run the agent on a prompt',
    '       haft --resume [ID]             list the sessions of this folder, or show one',
    '       haft COMMAND [ARGUMENTS]',
    '',
    'New here, or no API key? Run haft demo.',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Run haft -p --help for the options of the agent, haft COMMAND --help for a command, haft --version for the version.',
    '',
  ].join('\n')
}

async function formatCommandHelp({ usage, summary }: Command): Promise<string> {
  const lines = typeof usage === 'function' ? await usage() : usage
  return ['Usage:', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '', `${toSentence(summary)}`, ''].join(
    '\n',
  )
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
