import { isAssignmentWord, isKnown, knownWord, type ShellWord } from '../words/shell-word.js'
import { addTargets, applyRole } from './apply-role.js'
import { CHECKERS } from './checkers/index.js'
import type { CommandSpec, CommandUsage, OperandRole, Role } from './command-spec.js'
import { type CommandEffects, EffectsDraft } from './effects.js'
import { type ParsedArguments, parseArguments, splitNames } from './parse-arguments.js'

/** What a program of the tables does with these words, which stand behind its name. */
export function checkCommand(spec: CommandSpec, words: readonly ShellWord[]): CommandEffects {
  const draft = new EffectsDraft()
  if (spec.subcommands === undefined && spec.checker !== 'git') draft.subcommandAt = 'none'
  if (!isHelp(words)) checkUsage(spec, words, draft, spec.isTransparent === true)
  return draft
}

function checkUsage(
  usage: CommandUsage,
  words: readonly ShellWord[],
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  takeTraits(usage, draft)
  if (usage.checker !== undefined) {
    const checker = CHECKERS[usage.checker]
    if (checker === undefined) {
      draft.refuse('a program that nobody checked')
      return
    }
    checker(words, draft)
    return
  }
  const parsed = parseArguments(usage, words)
  if (parsed.problem !== undefined) draft.refuse(parsed.problem)
  // Where the options are not clear, neither is where the command starts that it runs.
  const isWrapper = usage.operands?.includes('command') === true
  if (parsed.runsUnknown || (isWrapper && parsed.problem !== undefined)) draft.isUnresolved = true
  checkRequired(usage, parsed, draft)
  for (const { role, word } of parsed.values) applyRole(role, [word], draft, isTransparent)
  if (usage.subcommands !== undefined) {
    checkSubcommand(usage.subcommands, words, parsed, draft)
    const name = parsed.operands[0]?.text ?? ''
    const isListed = Object.hasOwn(usage.subcommands, name) || splitNames(usage.otherSubcommands).includes(name)
    if (usage.otherSubcommands !== undefined && !isListed) draft.isUnresolved = true
    return
  }
  checkOperands(usage, parsed, draft, isTransparent)
}

/** The only word is one that every listed program answers by printing. */
function isHelp(words: readonly ShellWord[]): boolean {
  const [only] = words
  return (
    words.length === 1 && only !== undefined && isKnown(only) && (only.text === '--help' || only.text === '--version')
  )
}

function takeTraits(usage: CommandUsage, draft: EffectsDraft): void {
  if (usage.network === true) draft.network = true
  if (usage.usesRepository === true) draft.usesRepository = true
  if (usage.runsUnknown === true) draft.isUnresolved = true
  if (usage.network === true) draft.addRisk('reaches the network')
  if (usage.risk === undefined) return
  draft.addRisk(usage.risk)
  draft.refuse(usage.risk)
}

function checkRequired(usage: CommandUsage, { options }: ParsedArguments, draft: EffectsDraft): void {
  const hasOne = (list: string) => splitNames(list).some((name) => options.has(name))
  for (const list of usage.requires ?? []) {
    if (!hasOne(list)) draft.refuse(`none of the options ${list}`)
  }
  for (const [one, other] of usage.notTogether ?? []) {
    if (hasOne(one) && hasOne(other)) draft.refuse(`options of ${one} with ${other}`)
  }
}

function checkSubcommand(
  subcommands: Readonly<Record<string, CommandUsage>>,
  words: readonly ShellWord[],
  { operands, firstOperand }: ParsedArguments,
  draft: EffectsDraft,
): void {
  const name = operands[0]
  // A program called without a subcommand prints how to use it, unless an empty name says what it does then.
  const key = name === undefined ? '' : isKnown(name) ? name.text : undefined
  const usage = key !== undefined && Object.hasOwn(subcommands, key) ? subcommands[key] : undefined
  if (name !== undefined) draft.subcommandAt = firstOperand
  if (usage === undefined) {
    draft.refuse(`the subcommand ${name?.text ?? ''}`)
    return
  }
  const rest = words.slice(firstOperand + 1)
  checkUsage(usage, rest, draft, false)
  // Where none was found, it may stand behind an option that is not known.
  if (name !== undefined) draft.subcommandAt = firstOperand
}

function checkOperands(
  usage: CommandUsage,
  parsed: ParsedArguments,
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  const { operands } = parsed
  const roles = rolesFor(usage, parsed)
  const spreading = parsed.isOpen ? 0 : operands.findIndex((word) => word.spread !== 'one')
  if (spreading !== -1 && !areAllHarmless(usage, roles, spreading)) {
    draft.refuse('words that are not known before it runs')
    return
  }
  const isDeep = isAnyGiven(usage.treeWith, parsed)
  const assigned = assignRoles(usage, roles, operands)
  for (const { role, words } of assigned) {
    if (role === undefined) draft.refuse('an operand too many')
    else applyRole(role === 'reads' && isDeep ? 'tree' : role, words, draft, isTransparent)
  }
  if (isAnyGiven(usage.changesWith, parsed)) changeReadFiles(assigned, draft)
  const target = operands.at(-1)
  if (usage.lastOperand === 'writes' && target !== undefined) addTargets(operands.slice(0, -1), target, draft)
  if (!assigned.some(({ role }) => role === 'reads' || role === 'tree')) readDefault(usage, isDeep, draft)
}

function isAnyGiven(names: string | undefined, { options }: ParsedArguments): boolean {
  return splitNames(names).some((name) => options.has(name))
}

function changeReadFiles(assigned: readonly Assigned[], draft: EffectsDraft): void {
  draft.change()
  for (const { role, words } of assigned) if (role === 'reads') applyRole('writes', words, draft, false)
}

interface Assigned {
  readonly role: Role | undefined
  readonly words: readonly ShellWord[]
}

/** Gives each operand its role; a command takes all that are left, and one too many has none. */
function assignRoles(
  { lastOperand }: CommandUsage,
  roles: readonly OperandRole[],
  operands: readonly ShellWord[],
): readonly Assigned[] {
  const assigned: Assigned[] = []
  let at = 0
  for (const [index, word] of operands.entries()) {
    // A lone dash stands there for an empty environment.
    if (roles[at] === 'assignments' && !isAssignmentWord(word) && word.text !== '-') at += 1
    const isLast = lastOperand !== undefined && index > 0 && index === operands.length - 1
    const role = isLast ? lastOperand : single(roles[at])
    if (role === 'command') return [...assigned, { role, words: operands.slice(index) }]
    assigned.push({ role, words: [word] })
    if (role === undefined) return assigned
    if (role !== 'assignments' && roles[at]?.endsWith('...') !== true) at += 1
  }
  return assigned
}

function rolesFor(usage: CommandUsage, { options }: ParsedArguments): readonly OperandRole[] {
  const special = usage.operandsWith?.find((each) => splitNames(each.options).some((name) => options.has(name)))
  return special?.operands ?? usage.operands ?? []
}

/** Where a word may become several, every operand from there on may have any of the roles that are left. */
function areAllHarmless(usage: CommandUsage, roles: readonly OperandRole[], from: number): boolean {
  if (usage.lastOperand !== undefined || roles.length === 0) return false
  const left = roles.slice(Math.min(from, roles.length - 1))
  return roles.at(-1)?.endsWith('...') === true && left.every((role) => HARMLESS_ROLES.has(single(role) ?? 'writes'))
}

const HARMLESS_ROLES: ReadonlySet<Role> = new Set<Role>(['text', 'reads', 'opened', 'tree'])

function single(role: OperandRole | undefined): Role | undefined {
  return role?.replace('...', '') as Role | undefined
}

function readDefault({ readsByDefault }: CommandUsage, isDeep: boolean, draft: EffectsDraft): void {
  const path = readsByDefault ?? (isDeep ? '.' : undefined)
  if (path === undefined) return
  draft.reads.push({ word: knownWord(path.replace(/(.)\/$/, '$1')), isTree: isDeep || path.endsWith('/') })
}
