import type { CommandSpec, CommandUsage, Role } from '../../src/shell/programs/command-spec.js'
import { splitNames } from '../../src/shell/programs/parse-arguments.js'

/** One use of a program that a table accepts. The analysis as a whole may still reject it. */
export interface Invocation {
  readonly program: string
  readonly command: string
}

/** Words that the values and operands of a table are filled with. */
export interface SampleFiles {
  readonly insideFile: string
  readonly insideFolder: string
  /** A file that no command may open. It is used wherever a table expects text. */
  readonly outsideFile: string
}

/**
 * Every option of a table with every kind of value: in the examples of the program, with operands made up from their roles,
 * and with input from a pipe. Usages with their own checker or a known risk are left out.
 */
export function generateInvocations(spec: CommandSpec, files: SampleFiles): readonly Invocation[] {
  const commands = new Map<string, string>()
  for (const program of spec.names.split(' ')) {
    for (const { path, usage } of listUsages(spec, [])) {
      for (const command of listCommands(program, path, usage, spec, files)) commands.set(command, program)
    }
  }
  return [...commands].map(([command, program]) => ({ command, program }))
}

interface PlacedUsage {
  /** The subcommands before the options. */
  readonly path: readonly string[]
  readonly usage: CommandUsage
}

function listUsages(usage: CommandUsage, path: readonly string[]): readonly PlacedUsage[] {
  if (usage.risk !== undefined || usage.checker !== undefined) return []
  const nestedUsages = Object.entries(usage.subcommands ?? {})
    // The usage without a subcommand is the one of the program itself.
    .filter(([name]) => name !== '')
    .flatMap(([name, nestedUsage]) => listUsages(nestedUsage, [...path, name]))
  return [{ path, usage }, ...nestedUsages]
}

function listCommands(
  program: string,
  path: readonly string[],
  usage: CommandUsage,
  { names, examples }: CommandSpec,
  files: SampleFiles,
): readonly string[] {
  const start = [program, ...path].join(' ')
  const remainders = examples.flatMap((example) => findRemainder(example, names, path))
  const requiredOptions = (usage.requires ?? []).map((list) => splitNames(list)[0] ?? '').join(' ')
  const operandLists = createOperands(usage, files).map((operands) => `${requiredOptions} ${operands}`)
  // A subcommand must follow the options of the program that has it.
  const endings = usage.subcommands === undefined ? [...remainders, ...operandLists] : ['', ...remainders]
  const fewRemainders = [remainders[0] ?? '', ...(usage.subcommands === undefined ? operandLists.slice(0, 1) : [])]
  return [
    ...endings.map((ending) => normalise(`${start} ${ending}`)),
    ...listOptionForms(usage, files).flatMap((option) => [
      ...fewRemainders.map((ending) => normalise(`${start} ${option} ${ending}`)),
      normalise(`cat ${files.insideFile} | ${start} ${requiredOptions} ${option}`),
    ]),
  ]
}

const normalise = (command: string) => command.replace(/ {2,}/g, ' ').trim()

/** Returns the words after the program and its subcommands in an example. */
function findRemainder(example: string, names: string, path: readonly string[]): readonly string[] {
  const [program = '', ...words] = example.split(' ')
  if (!names.split(' ').includes(program) || path.some((word, index) => words[index] !== word)) return []
  return [words.slice(path.length).join(' ')]
}

function listOptionForms({ options = {}, style }: CommandUsage, files: SampleFiles): readonly string[] {
  const joinValue = (name: string, value: string) =>
    name.startsWith('--') || style === 'single-dash' ? `${name}=${value}` : `${name}${value}`
  const listOptionsWithValue = (names: string | undefined, role: Role) =>
    splitNames(names).flatMap((name) => [
      ...getSamples(role, files).map((value) => `${name} ${value}`),
      joinValue(name, getSamples(role, files).at(-1) ?? ''),
    ])
  const listAttachedForms = (names: string | undefined, role: Role) =>
    splitNames(names).flatMap((name) => [name, ...getSamples(role, files).map((value) => joinValue(name, value))])
  const mapRoles = (groups: Readonly<Partial<Record<Role, string>>> = {}, build: typeof listOptionsWithValue) =>
    Object.entries(groups).flatMap(([role, names]) => build(names, role as Role))
  const listPairs = (names: string | undefined, role: Role) =>
    splitNames(names).flatMap((name) => getSamples(role, files).map((value) => `${name} x ${value}`))
  return [
    ...splitNames(options.flags).map((name) => name.replace('#', '2')),
    ...listOptionsWithValue(options.values, 'text'),
    ...listAttachedForms(options.attached, 'text'),
    ...mapRoles(options.roles, listOptionsWithValue),
    ...mapRoles(options.attachedRoles, listAttachedForms),
    ...mapRoles(options.pairs, listPairs),
    ...Object.entries(options.choices ?? {}).flatMap(([name, values]) =>
      splitNames(values).map((value) => `${name}=${value}`),
    ),
  ]
}

/** Two lists of operands for each list of roles: one with the outside file wherever text is expected, and one with ordinary operands. */
function createOperands({ operands = [], operandCases = [] }: CommandUsage, files: SampleFiles): readonly string[] {
  const lists = [operands, ...operandCases.map((operandCase) => operandCase.operands)]
  return lists.flatMap((roles) =>
    [1, 0].map((at) =>
      roles
        .map((role) => {
          const samples = getSamples(role.replace('...', '') as Role, files)
          return samples[Math.min(at, samples.length - 1)] ?? ''
        })
        .join(' '),
    ),
  )
}

function getSamples(role: Role, { insideFile, insideFolder, outsideFile }: SampleFiles): readonly string[] {
  switch (role) {
    case 'text':
      return ['1', outsideFile]
    case 'reads':
    case 'tree':
    case 'followed':
      return [insideFile, insideFolder]
    case 'format':
      return ['+%s']
    case 'number':
      return ['1']
    case 'port':
      return [':80']
    case 'identifier':
    case 'name':
    case 'variable':
      return ['HOME']
    case 'charset':
      return ['utf-8']
    case 'setting':
      return ['user.name']
    case 'parameter':
      return ['kernel.ostype']
    case 'mode':
      return ['pipefail']
    case 'output':
      return ['/dev/null']
    case 'folder':
      return [insideFolder]
    case 'sed':
      return ['p']
    case 'awk':
      return ["'{print}'"]
    case 'jq':
    case 'yq':
      return ['.']
    case 'xpath':
      return ['//a']
    case 'command':
    case 'shell':
      return ['true']
    case 'assignments':
      return ['']
    default:
      return [insideFile]
  }
}
