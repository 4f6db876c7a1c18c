import type { Command, CommandNode, ParsedScript, PipelineNode, Statement } from 'unbash'
import type { ExitingProgram } from '../../contract/command.js'

/** Builtins after which the exit code of a later command may have another meaning. */
const EXIT_CODE_CHANGERS = new Set(['set', 'shopt', 'trap', 'exit', 'exec', 'source', '.', 'eval', 'alias'])

/** Returns the command that a non-zero exit code of a script comes from; undefined if that is not certain. */
export function exitStatusOf({ commands, errors }: ParsedScript): ExitingProgram | undefined {
  const lastCommand = commands.at(-1)
  if ((errors?.length ?? 0) > 0 || lastCommand === undefined || lastCommand.background === true) return undefined
  return commands.some(changesCodes) ? undefined : programOfStatement(lastCommand)
}

function changesCodes({ command }: Statement): boolean {
  const nodes = command.type === 'AndOr' ? command.commands : [command]
  return nodes.some((node) => node.type === 'Command' && EXIT_CODE_CHANGERS.has(nameOf(node) ?? ''))
}

function programOfStatement({ command }: Statement): ExitingProgram | undefined {
  if (command.type !== 'AndOr') return programOfPipeline(command, false)
  const lastCommand = command.commands.at(-1)
  if (lastCommand === undefined) return undefined
  if (command.operators.at(-1) === '||') return programOfPipeline(lastCommand, false)
  const earlierCommands = command.commands.slice(0, -1)
  const hasOnlyCdBefore = command.operators.every((operator) => operator === '&&') && earlierCommands.every(isCd)
  return hasOnlyCdBefore ? programOfPipeline(lastCommand, true) : undefined
}

function programOfPipeline(node: PipelineNode, followsCd: boolean): ExitingProgram | undefined {
  if (node.type !== 'Pipeline') return programOfCommand(node, followsCd)
  const lastCommand = node.commands.at(-1)
  const isNegated = node.prefixes.some(({ type }) => type === 'Negation')
  return isNegated || lastCommand === undefined ? undefined : programOfCommand(lastCommand, followsCd)
}

function programOfCommand(node: CommandNode, followsCd: boolean): ExitingProgram | undefined {
  if (node.type === 'TestCommand') return { name: '[[', args: [], followsCd }
  if (node.type === 'ArithmeticCommand') return { name: '((', args: [], followsCd }
  const name = node.type === 'Command' ? nameOf(node) : undefined
  if (node.type !== 'Command' || name === undefined) return undefined
  return { name, args: node.args.map(({ text }) => text), followsCd }
}

/** Returns the base name of the program; undefined if it is known only at run time. */
function nameOf({ name }: Command): string | undefined {
  if (name === undefined || /[$`*?{~]/.test(name.text)) return undefined
  const { value } = name
  return value.includes('/') ? value.slice(value.lastIndexOf('/') + 1) : value
}

function isCd(node: PipelineNode): boolean {
  return node.type === 'Command' && nameOf(node) === 'cd'
}
