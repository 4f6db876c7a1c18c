import { type Command, type CommandNode, type PipelineNode, parse, type Statement } from 'unbash'

/** The program whose exit code is that of the whole command line. */
export interface DecidingProgram {
  readonly name: string
  readonly args: readonly string[]
  /** It runs only if changing the folder works, and else the code is that of `cd`. */
  readonly followsCd: boolean
}

/** These give the codes of later commands another meaning. */
const CHANGES_CODES = new Set(['set', 'shopt', 'trap', 'exit', 'exec', 'source', '.', 'eval', 'alias'])

/** Undefined where the code may come from several programs, or from something else than a program. */
export function decidingProgram(command: string): DecidingProgram | undefined {
  try {
    const { commands, errors } = parse(command)
    const last = commands.at(-1)
    if ((errors?.length ?? 0) > 0 || last === undefined || last.background === true) return undefined
    return commands.some(changesCodes) ? undefined : ofStatement(last)
  } catch {
    // What cannot be parsed is not explained.
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

/** The name without its folder; undefined where it is not known before it runs. */
function nameOf({ name }: Command): string | undefined {
  if (name === undefined || /[$`*?{~]/.test(name.text)) return undefined
  return name.value.slice(name.value.lastIndexOf('/') + 1)
}

function isCd(node: PipelineNode): boolean {
  return node.type === 'Command' && nameOf(node) === 'cd'
}
