import { isAssignmentWord, isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import { addTargets, applyRole } from './apply-role.js'
import { CHECKERS } from './checkers/index.js'
import type { CommandSpec, CommandUsage, OperandRole, Role } from './command-spec.js'
import { type CommandEffects, EffectsDraft } from './effects.js'
import { addObjectReads } from './git-objects.js'
import { type ParsedArguments, parseArguments, splitNames } from './parse-arguments.js'

/** Returns the effects of a listed program with these arguments. */
export function checkCommand(spec: CommandSpec, words: readonly ShellWord[]): CommandEffects {
  const draft = new EffectsDraft()
  if (spec.subcommands === undefined && spec.checker !== 'git') draft.subcommandAt = 'none'
  const isHelpObserved = spec.hasObservedHelp ?? spec.isObserved === true
  if (!isHelpObserved || !isHelp(words)) checkUsage(spec, words, draft, spec.isTransparent === true)
  if (spec.changesOtherwise !== undefined && draft.problems.length > 0)
    draft.writes.push({ word: toKnownWord(spec.changesOtherwise), isTree: false })
  if (spec.names === 'git' && typeof draft.subcommandAt === 'number')
    addObjectReads(words.slice(draft.subcommandAt), draft)
  return draft
}

function checkUsage(
  usage: CommandUsage,
  words: readonly ShellWord[],
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  addUsageTraits(usage, draft)
  if (usage.checker !== undefined) {
    const checker = CHECKERS[usage.checker]
    if (checker === undefined) {
      draft.refuse('has no checker')
      return
    }
    checker(words, draft)
    return
  }
  const parsed = parseArguments(usage, words)
  addParseProblems(usage, words, parsed, draft)
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

function addParseProblems(
  usage: CommandUsage,
  words: readonly ShellWord[],
  parsed: ParsedArguments,
  draft: EffectsDraft,
): void {
  if (parsed.problem !== undefined) draft.refuse(parsed.problem)
  if (parsed.hasEffects) draft.refuse('has an option with effects')
  if (parsed.problem !== undefined && mayChangeFiles(usage, words)) addUnknownWrites(words, draft)
  // With unclear options, the start of the inner command is unknown.
  if (parsed.problem !== undefined) addUnknownInner(usage.operands, draft)
  if (parsed.runsUnknown) draft.isUnresolved = true
}

/** Whether the only argument is `--help` or `--version`, with which no observed program has effects. */
function isHelp(words: readonly ShellWord[]): boolean {
  const [onlyWord] = words
  return (
    words.length === 1 &&
    onlyWord !== undefined &&
    isKnown(onlyWord) &&
    (onlyWord.text === '--help' || onlyWord.text === '--version')
  )
}

function addUsageTraits(usage: CommandUsage, draft: EffectsDraft): void {
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
    if (!hasOne(list)) draft.refuse(`lacks one of the options ${list}`)
  }
  for (const [firstList, secondList] of usage.notTogether ?? []) {
    if (hasOne(firstList) && hasOne(secondList)) draft.refuse(`combines options of ${firstList} with ${secondList}`)
  }
}

function checkSubcommand(
  subcommands: Readonly<Record<string, CommandUsage>>,
  words: readonly ShellWord[],
  { operands, firstOperand }: ParsedArguments,
  draft: EffectsDraft,
): void {
  const name = operands[0]
  // Without a subcommand the usage under the empty name applies, if there is one.
  const key = name === undefined ? '' : isKnown(name) ? name.text : undefined
  const usage = key !== undefined && Object.hasOwn(subcommands, key) ? subcommands[key] : undefined
  // Without a name the index stays undefined, because the subcommand may follow an unknown option.
  if (name !== undefined) draft.subcommandAt = firstOperand
  if (usage === undefined) {
    draft.refuse(`runs the subcommand ${name?.text ?? ''}`)
    return
  }
  checkUsage(usage, words.slice(firstOperand + 1), draft, false)
  if (usage.changesOtherwise !== undefined && draft.problems.length > 0)
    draft.writes.push({ word: toKnownWord(usage.changesOtherwise), isTree: false })
  // A nested subcommand may have replaced the index.
  if (name !== undefined) draft.subcommandAt = firstOperand
}

function checkOperands(
  usage: CommandUsage,
  parsed: ParsedArguments,
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  const { operands } = parsed
  const roles = findRoles(usage, parsed)
  const firstUnsure = parsed.mayHaveMoreOptions ? 0 : operands.findIndex((word) => word.spread !== 'one')
  if (firstUnsure !== -1 && !areAllHarmless(usage, roles, firstUnsure)) {
    refuseUnsureOperands(usage, roles, parsed, draft)
    return
  }
  const isRecursive = isAnyGiven(usage.treeWith, parsed)
  const roleAssignments = assignRoles(intoFolderOf(parsed) === undefined ? usage : {}, roles, operands)
  for (const { role, words } of roleAssignments) {
    if (role === undefined) draft.refuse('has too many operands')
    else applyRole(role === 'reads' && isRecursive ? 'tree' : role, words, draft, isTransparent)
  }
  if (isAnyGiven(usage.changesWith, parsed)) addChangedFiles(roleAssignments, draft)
  addNamedTargets(usage, parsed, draft)
  if (!roleAssignments.some(({ role }) => role === 'reads' || role === 'tree'))
    addDefaultRead(usage, isRecursive, draft)
}

const HERE = toKnownWord('.')

/** Adds the files that get the names of the operands, in a folder that is an operand or the value of an option. */
function addNamedTargets({ lastOperand }: CommandUsage, parsed: ParsedArguments, draft: EffectsDraft): void {
  const { operands } = parsed
  const folder = intoFolderOf(parsed)
  const target = operands.at(-1)
  if (folder !== undefined) addTargets(operands, folder, draft)
  if (folder !== undefined || lastOperand !== 'writes' || target === undefined) return
  // `ln file` makes a link of the same name in the working folder.
  if (operands.length === 1) addTargets(operands, HERE, draft)
  else addTargets(operands.slice(0, -1), target, draft)
}

function intoFolderOf({ values }: ParsedArguments): ShellWord | undefined {
  return values.find(({ role }) => role === 'into')?.word
}

function refuseUnsureOperands(
  usage: CommandUsage,
  roles: readonly OperandRole[],
  { operands, options }: ParsedArguments,
  draft: EffectsDraft,
): void {
  draft.refuse('has words that are known only at run time')
  addUnknownInner(roles, draft)
  addFoundWrites(roles, operands, draft)
  if (mayChangeFiles(usage, [...options].map(toKnownWord))) addUnknownWrites(operands, draft)
}

/** Of `find … -exec rm {} +` it is known below which folders the changed files are. */
function addFoundWrites(roles: readonly OperandRole[], operands: readonly ShellWord[], draft: EffectsDraft): void {
  const role = withoutDots(roles.at(-1))
  if (role !== 'writes' && role !== 'deletes') return
  for (const word of operands) if (word.below !== undefined) applyRole(role, [word], draft, false)
}

/** The command or script that the operands contain, if any, is known only at run time. */
function addUnknownInner(roles: readonly OperandRole[] = [], draft: EffectsDraft): void {
  if (roles.includes('shell')) draft.runsUnknownText = true
  if (roles.includes('shell') || roles.includes('command')) draft.isUnresolved = true
}

function changesOperands({ operands = [], lastOperand }: CommandUsage): boolean {
  return [...operands, lastOperand].some((role) => role !== undefined && /^(?:writes|deletes|output)/.test(role))
}

/** Whether the operands are changed, or an option is given that changes files. */
function mayChangeFiles(usage: CommandUsage, words: readonly ShellWord[]): boolean {
  const { writes, output, into } = usage.options?.roles ?? {}
  const names = [usage.changesWith, writes, output, into].flatMap((list) => [...splitNames(list)])
  const isGiven = (name: string, text: string) =>
    text.startsWith(name) || (name.length === 2 && /^-[^-]/.test(text) && text.includes(name.slice(1)))
  return changesOperands(usage) || names.some((name) => words.some(({ text }) => isGiven(name, text)))
}

/** Some of these words name files that are changed, but it is unknown which. */
function addUnknownWrites(words: readonly ShellWord[], draft: EffectsDraft): void {
  for (const word of words) {
    if (!isKnown(word) && word.below === undefined) draft.writes.push({ word, isTree: false })
  }
}

function isAnyGiven(names: string | undefined, { options }: ParsedArguments): boolean {
  return splitNames(names).some((name) => options.has(name))
}

function addChangedFiles(roleAssignments: readonly RoleAssignment[], draft: EffectsDraft): void {
  draft.addChange()
  for (const { role, words } of roleAssignments) if (role === 'reads') applyRole('writes', words, draft, false)
}

interface RoleAssignment {
  readonly role: Role | undefined
  readonly words: readonly ShellWord[]
}

/** Assigns a role to each operand. The role `command` takes all remaining words; an extra operand has no role. */
function assignRoles(
  { lastOperand }: CommandUsage,
  roles: readonly OperandRole[],
  operands: readonly ShellWord[],
): readonly RoleAssignment[] {
  const roleAssignments: RoleAssignment[] = []
  let at = 0
  for (const [index, word] of operands.entries()) {
    // `env -` means an empty environment.
    if (roles[at] === 'assignments' && !isAssignmentWord(word) && word.text !== '-') at += 1
    const isLast = lastOperand !== undefined && index > 0 && index === operands.length - 1
    const role = isLast ? lastOperand : withoutDots(roles[at])
    if (role === 'command') return [...roleAssignments, { role, words: operands.slice(index) }]
    roleAssignments.push({ role, words: [word] })
    if (role === undefined) return roleAssignments
    if (role !== 'assignments' && roles[at]?.endsWith('...') !== true) at += 1
  }
  return roleAssignments
}

function findRoles(usage: CommandUsage, { options }: ParsedArguments): readonly OperandRole[] {
  const matchingCase = usage.operandsWith?.find((each) => splitNames(each.options).some((name) => options.has(name)))
  return matchingCase?.operands ?? usage.operands ?? []
}

/** Whether all remaining roles are harmless, so that a word may expand to several operands. */
function areAllHarmless(usage: CommandUsage, roles: readonly OperandRole[], from: number): boolean {
  if (usage.lastOperand !== undefined || roles.length === 0) return false
  const remainingRoles = roles.slice(Math.min(from, roles.length - 1))
  return (
    roles.at(-1)?.endsWith('...') === true &&
    remainingRoles.every((role) => HARMLESS_ROLES.has(withoutDots(role) ?? 'writes'))
  )
}

const HARMLESS_ROLES: ReadonlySet<Role> = new Set<Role>(['text', 'reads', 'compressed', 'followed', 'opened', 'tree'])

function withoutDots(role: OperandRole | undefined): Role | undefined {
  return role?.replace('...', '') as Role | undefined
}

function addDefaultRead({ readsByDefault }: CommandUsage, isRecursive: boolean, draft: EffectsDraft): void {
  const path = readsByDefault ?? (isRecursive ? '.' : undefined)
  if (path === undefined) return
  draft.reads.push({ word: toKnownWord(path.replace(/(.)\/$/, '$1')), isTree: isRecursive || path.endsWith('/') })
}
