import { type Command, type CommandArgument, forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash'

/** Which variables of a script have a value that can be told. */
export interface Variables {
  /** The script sets it in one place only, so that a value seen there holds until its end. */
  readonly isSetOnce: (name: string) => boolean
  /** The script may set it somewhere. */
  readonly isSet: (name: string) => boolean
  /** The values that were seen so far; several where a loop goes through them. */
  readonly values: Map<string, readonly string[]>
  /** Those that hold a number or nothing here, although it is not known which. */
  readonly numbers: Set<string>
}

/** Builtins that may set a variable whose name cannot be told from the words. */
const SETTERS = new Set(
  'declare typeset local readonly mapfile readarray getopts let eval source . exec set shift unset coproc trap'.split(
    ' ',
  ),
)

/** Of a script about which nothing is known. */
function noVariables(): Variables {
  return { isSetOnce: () => false, isSet: () => true, values: new Map(), numbers: new Set() }
}

interface Bounds {
  readonly maxNodes: number
  /** How many scripts may stand in one another. */
  readonly maxDepth: number
}

/** Finds which names a script sets, and how often; a script beyond the bounds may set any. */
export function findVariables(script: ParsedScript, { maxNodes, maxDepth }: Bounds): Variables {
  const counts = new Map<string, number>()
  let nodes = 0
  let depth = 0
  let isLost = false
  const visit = (node: SyntaxNode): void => {
    nodes += 1
    if (nodes > maxNodes || depth > maxDepth) isLost = true
    if (isLost) return
    const names = namesSet(node)
    if (names === undefined) isLost = true
    else for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    if (node.type === 'Script') depth += 1
    forEachChild(node, visit)
    if (node.type === 'Script') depth -= 1
  }
  visit(script)
  if (isLost) return noVariables()
  return {
    isSetOnce: (name) => counts.get(name) === 1,
    isSet: (name) => counts.has(name),
    values: new Map(),
    numbers: new Set(),
  }
}

const NONE: readonly string[] = []

/** The names that one node sets; none where it may set any. */
function namesSet(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case 'Assignment':
      // What is added to, or set in part, has no one value.
      return node.append === true || node.index !== undefined ? [node.name, node.name] : [node.name]
    case 'For':
    case 'Select':
      return [node.name.value]
    case 'FileDescriptorVariable':
      return [node.name]
    case 'Default':
      return node.operator.endsWith('=') ? undefined : NONE
    case 'ArithmeticUnary':
    case 'ArithmeticBinary':
      return /^(?:\+\+|--)$|=$/.test(node.operator) && !/^(?:[=!<>]=)$/.test(node.operator) ? undefined : NONE
    case 'Command':
      return namesSetBy(node)
    default:
      return NONE
  }
}

function namesSetBy({ name, args }: Command): readonly string[] | undefined {
  if (name === undefined) return NONE
  const program = name.text === '[' ? name.text : literalText(name)
  if (program === undefined) return undefined
  if (program === 'printf') return args[0]?.text.startsWith('-') === true ? undefined : NONE
  if (program === 'read') return namesRead(args)
  if (PASSES_ON.has(program)) return args.some(mayBeSetter) ? undefined : NONE
  return SETTERS.has(program) ? undefined : NONE
}

/** Builtins that run another one. */
const PASSES_ON = new Set(['command', 'builtin'])

function mayBeSetter(arg: CommandArgument): boolean {
  const text = arg.type === 'Word' ? literalText(arg) : undefined
  return text === undefined || text === 'read' || text === 'printf' || PASSES_ON.has(text) || SETTERS.has(text)
}

/** The words of a `read`, of which some are names; none where one may hide in a word that is not spelled out. */
function namesRead(args: readonly CommandArgument[]): readonly string[] | undefined {
  const texts = args.map((arg) => (arg.type === 'Word' ? literalText(arg) : undefined))
  if (texts.some((text) => text === undefined || /^-.*a./s.test(text))) return undefined
  return texts.map(String)
}

/** The text of a word that holds nothing but text. */
export function literalText(word: Word): string | undefined {
  if (word.parts === undefined) return /[~{*?[]/.test(word.text) ? undefined : word.value
  const isPlain = word.parts.every(
    (part) =>
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'Literal' && !/[~{*?[]/.test(part.text)) ||
      (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  )
  return isPlain ? word.value : undefined
}
