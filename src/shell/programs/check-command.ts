import { isFoundName } from '../words/glob-words.js'
import { isAssignmentWord, isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import { addTargets, applyRole } from './apply-role.js'
import { CHECKERS } from './checkers/index.js'
import type { CommandSpec, CommandUsage, OperandRole, Role } from './command-spec.js'
import { type CommandEffects, EffectsDraft } from './effects.js'
import { addObjectReads } from './git-objects.js'
import { addGivenTargets, isAnyOptionGiven } from './given-targets.js'
import { type ParsedArguments, parseArguments, splitNames } from './parse-arguments.js'
import { toUniformUsage } from './uniform-usage.js'

/** Returns the effects of a listed program when it runs with these arguments. */
export function checkCommand(listedSpec: CommandSpec, words: readonly ShellWord[]): CommandEffects {
  const spec = toUniformUsage(listedSpec)
  const draft = new EffectsDraft()
  draft.runsNothing = spec.hasOnlyHarmlessOptions === true
  if (spec.subcommands === undefined && spec.isOpaque !== true) draft.subcommandAt = 'none'
  const isHelpObserved = spec.hasObservedHelp ?? spec.isObserved === true
  if (!isHelpObserved || !isHelp(words)) checkUsage(spec, words, draft, spec.isTransparent === true)
  if (spec.changesOtherwise !== undefined && draft.problems.length > 0)
    draft.writes.push({ word: toKnownWord(spec.changesOtherwise), isTree: false })
  if (spec.names === 'git' && typeof draft.subcommandAt === 'number') addObjectReads(words, draft.subcommandAt, draft)
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
  if (usage.isOpaque === true) {
    draft.refuse('may do anything')
    draft.network = true
    const { runs, lists } = usage.options ?? {}
    draft.isUnresolved ||= isAnyOptionGiven(usage, runs, words) || isAnyOptionGiven(usage, lists, words)
    addGivenTargets(usage, words, draft)
    return
  }
  checkArguments(usage, words, draft, isTransparent)
  if (!draft.isComplete) addGivenTargets(usage, words, draft)
}

function checkArguments(
  usage: CommandUsage,
  words: readonly ShellWord[],
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  const parsedArguments = parseArguments(usage, words)
  if (usage.programVariables !== undefined && words.some((word) => namesProgram(usage.programVariables, word)))
    draft.isUnresolved = true
  addParseProblems(usage, words, parsedArguments, draft)
  checkRequired(usage, parsedArguments, draft)
  if (usage.expandsArgumentFiles === true) checkArgumentFiles(words, draft)
  for (const { role, word } of parsedArguments.values) applyRole(role, [word], draft, isTransparent)
  if (usage.subcommands !== undefined) {
    checkSubcommand(usage.subcommands, words, parsedArguments, draft)
    const name = parsedArguments.operands[0]?.text ?? ''
    const isListed = Object.hasOwn(usage.subcommands, name) || splitNames(usage.otherSubcommands).includes(name)
    if (usage.otherSubcommands !== undefined && !isListed) draft.isUnresolved = true
    return
  }
  checkOperands(usage, parsedArguments, draft, isTransparent)
}

/** A program that is found through PATH or in a system folder, which deny rules compare by its name. */
const NAMED_PROGRAM = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[\w.+-]+$/

/** Whether a `NAME=value` word makes the program run a file, or text that is known only at run time. */
function namesProgram(names: string | undefined, word: ShellWord): boolean {
  const [, name = '', value = ''] = /^([\w.]+)[:+?!]*=(.*)$/s.exec(word.text) ?? []
  return splitNames(names).includes(name) && !(isKnown(word) && NAMED_PROGRAM.test(value))
}

/** Arguments in a file may be options with effects, and may name any file. */
function checkArgumentFiles(words: readonly ShellWord[], draft: EffectsDraft): void {
  const isNamed = words.some(({ text }) => text.startsWith('@'))
  if (isNamed) draft.isUnresolved = true
  if (isNamed || words.some((word) => word.knownLength === 0 && !isKnown(word)))
    draft.refuse('may read arguments from a file')
}

function addParseProblems(
  usage: CommandUsage,
  words: readonly ShellWord[],
  parsedArguments: ParsedArguments,
  draft: EffectsDraft,
): void {
  if (parsedArguments.problem !== undefined) draft.refuse(parsedArguments.problem)
  if (parsedArguments.hasEffects) draft.refuse('has an option with effects')
  if (parsedArguments.mayReadMore) draft.isComplete = false
  if (parsedArguments.problem !== undefined && mayChangeOperands(usage, words)) addUnknownWrites(words, draft)
  // If options are unclear, it is unknown where the inner command starts.
  if (parsedArguments.problem !== undefined) addUnknownInnerCommand(usage.operands, draft)
  if (parsedArguments.runsUnknown) draft.isUnresolved = true
}

/** Whether the only argument is `--help` or `--version`. These are harmless for programs that the observation test runs. */
function isHelp(words: readonly ShellWord[]): boolean {
  const onlyWord = words[0]
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
  if (usage.network === true) draft.addRisk('uses the network')
  if (usage.risk === undefined) return
  draft.addRisk(usage.risk)
  draft.refuse(usage.risk)
}

function checkRequired(usage: CommandUsage, parsedArguments: ParsedArguments, draft: EffectsDraft): void {
  for (const list of usage.requires ?? NO_LISTS) {
    if (!isAnyGiven(list, parsedArguments)) draft.refuse(`lacks one of the options ${list}`)
  }
  for (const [firstList, secondList] of usage.conditionalRequirements ?? NO_LISTS) {
    if (isAnyGiven(firstList, parsedArguments) && !isAnyGiven(secondList, parsedArguments))
      draft.refuse(`combines ${firstList} with none of ${secondList}`)
  }
  for (const [firstList, secondList] of usage.exclusivePairs ?? NO_LISTS) {
    if (isAnyGiven(firstList, parsedArguments) && isAnyGiven(secondList, parsedArguments))
      draft.refuse(`combines options of ${firstList} with ${secondList}`)
  }
}

const NO_LISTS: readonly never[] = []

function checkSubcommand(
  subcommands: Readonly<Record<string, CommandUsage>>,
  words: readonly ShellWord[],
  { operands, firstOperand }: ParsedArguments,
  draft: EffectsDraft,
): void {
  const name = operands[0]
  // Without a subcommand, the usage under the empty name applies, if there is one.
  const key = name === undefined ? '' : isKnown(name) ? name.text : undefined
  const listedUsage = key !== undefined && Object.hasOwn(subcommands, key) ? subcommands[key] : undefined
  // Without a name, the index stays undefined: the subcommand may follow an unknown option.
  if (name !== undefined) draft.subcommandAt = firstOperand
  if (listedUsage === undefined) {
    draft.refuse(`runs the subcommand ${name?.text ?? ''}`)
    return
  }
  const usage = toUniformUsage(listedUsage)
  checkUsage(usage, words.slice(firstOperand + 1), draft, false)
  if (usage.changesOtherwise !== undefined && draft.problems.length > 0)
    draft.writes.push({ word: toKnownWord(usage.changesOtherwise), isTree: false })
  // The recursive call may have replaced the index.
  if (name !== undefined) draft.subcommandAt = firstOperand
}

function checkOperands(
  usage: CommandUsage,
  parsedArguments: ParsedArguments,
  draft: EffectsDraft,
  isTransparent: boolean,
): void {
  const { operands } = parsedArguments
  const roles = findRoles(usage, parsedArguments)
  const certainOperands = operands.filter((word) => word.spread === 'one')
  if (certainOperands.length < (usage.minOperands ?? 0)) draft.refuse('has too few operands')
  const firstUncertainIndex = parsedArguments.mayHaveMoreOptions
    ? 0
    : operands.findIndex((word) => word.spread !== 'one')
  if (firstUncertainIndex !== -1 && !areAllHarmless(usage, roles, firstUncertainIndex)) {
    refuseUncertainOperands(usage, roles, parsedArguments, draft)
    return
  }
  const roleAssignments = addLaterRoles(
    roles,
    assignRoles(targetFolderOf(parsedArguments) === undefined ? usage : {}, roles, operands),
  )
  for (const { role, words } of roleAssignments) {
    if (role === undefined) draft.refuse('has too many operands')
    else if (role === 'reads') addReads(usage, parsedArguments, words, draft)
    else applyRole(role, words, draft, isTransparent)
  }
  if (isAnyGiven(usage.changesWith, parsedArguments)) addChangedFiles(roleAssignments, draft)
  addNamedTargets(usage, parsedArguments, draft)
  addBackups(usage, parsedArguments, draft)
  if (!roleAssignments.some(({ role }) => role === 'reads' || role === 'tree' || role === 'searched'))
    addDefaultRead(usage, parsedArguments, draft)
}

function addDefaultRead(usage: CommandUsage, parsedArguments: ParsedArguments, draft: EffectsDraft): void {
  const isRecursive = isAnyGiven(usage.recursiveOptions, parsedArguments)
  const path = usage.readsByDefault ?? (isRecursive ? '.' : undefined)
  if (path === undefined) return
  const role = findRoles(usage, parsedArguments).includes('searched...') ? 'searched' : 'tree'
  if (path.endsWith('/')) applyRole(role, [toKnownWord(path.slice(0, -1))], draft, false)
  else addReads(usage, parsedArguments, [toKnownWord(path)], draft)
}

function addReads(
  { recursiveOptions, followsWith }: CommandUsage,
  parsedArguments: ParsedArguments,
  words: readonly ShellWord[],
  draft: EffectsDraft,
): void {
  const isRecursive = isAnyGiven(recursiveOptions, parsedArguments)
  applyRole(isRecursive ? 'tree' : 'reads', words, draft, false)
  const readsBelow = isRecursive || recursiveOptions === undefined
  if (readsBelow && isAnyGiven(followsWith, parsedArguments)) applyRole('followed', words, draft, false)
}

const WORKING_FOLDER = toKnownWord('.')

/** Adds the files that are created with the base names of the operands, inside a folder that is an operand or an option value. */
function addNamedTargets({ lastOperand }: CommandUsage, parsedArguments: ParsedArguments, draft: EffectsDraft): void {
  const { operands } = parsedArguments
  const folder = targetFolderOf(parsedArguments)
  if (folder !== undefined) addTargets(operands, folder, draft)
  if (folder !== undefined || lastOperand !== 'writes') return
  const target = operands.at(-1)
  if (target === undefined) return
  // `cp -rT from to` writes the files of one folder into the other.
  if (operands.length > 1 && isAnyGiven(NO_TARGET_FOLDER, parsedArguments)) {
    draft.writes.push({ word: target, isTree: true })
    return
  }
  // `ln file` creates a link with the same base name in the working folder.
  if (operands.length === 1) addTargets(operands, WORKING_FOLDER, draft)
  else addTargets(operands.slice(0, -1), target, draft)
  // `.` exists, so files are created in it and it is not replaced itself. With `--parents`, folders in it are written, too.
  if (isDotPath(target) && operands.every(isKnown) && !parsedArguments.options.has('--parents')) {
    const at = draft.writes.findIndex(({ word }) => isDotPath(word))
    if (at !== -1 && operands.length > 1) draft.writes.splice(at, 1)
  }
}

const NO_TARGET_FOLDER = '-T --no-target-directory'

function isDotPath(word: ShellWord): boolean {
  return isKnown(word) && /^(?:\.{1,2}\/+)*\.{1,2}\/*$/.test(word.text)
}

/** Adds the files that keep the earlier content of the targets: `cp -b -S .old a b` writes `b.old`. */
function addBackups({ lastOperand }: CommandUsage, { values }: ParsedArguments, draft: EffectsDraft): void {
  if (lastOperand !== 'writes') return
  const suffix = values.find(({ option }) => option === '-S' || option === '--suffix')?.word
  if (suffix === undefined) return
  for (const { word } of [...draft.writes]) {
    const text = word.text + suffix.text
    const knownLength = isKnown(word) ? word.text.length + suffix.knownLength : word.knownLength
    draft.writes.push({ word: { ...word, text, knownLength }, isTree: false })
  }
}

function targetFolderOf({ values }: ParsedArguments): ShellWord | undefined {
  return values.find(({ role }) => role === 'into')?.word
}

function refuseUncertainOperands(
  usage: CommandUsage,
  roles: readonly OperandRole[],
  { operands, options }: ParsedArguments,
  draft: EffectsDraft,
): void {
  draft.refuse('has words that are known only at run time')
  addUnknownInnerCommand(roles, draft)
  const optionWords = [...options].map(toKnownWord)
  addFoundWrites(roles, operands, isAnyOptionGiven(usage, usage.changesWith, optionWords), draft)
  if (mayChangeOperands(usage, optionWords)) addOperandWrites(usage, roles, operands, draft)
}

/** Adds the unknown operands that may be changed. A pattern for files before the target of `cp` is only read. */
function addOperandWrites(
  { lastOperand }: CommandUsage,
  roles: readonly OperandRole[],
  operands: readonly ShellWord[],
  draft: EffectsDraft,
): void {
  const role = withoutDots(roles.at(-1))
  const isSource = (word: ShellWord, at: number) =>
    lastOperand === 'writes' && role === 'reads' && at < operands.length - 1 && isFoundName(word)
  const changedWords = operands.filter((word, at) => !isKnown(word) && !isSource(word, at))
  if (role === 'deletes' || role === 'moves') draft.addRisk('deletes files')
  addUnknownWrites(changedWords, draft)
}

/** Adds the folders that contain the changed files, which are known for `find … -exec rm {} +`. */
function addFoundWrites(
  roles: readonly OperandRole[],
  operands: readonly ShellWord[],
  changesWith: boolean,
  draft: EffectsDraft,
): void {
  const role = withoutDots(roles.at(-1))
  const isChanged = changesWith || role === 'writes' || role === 'deletes' || role === 'moves'
  if (role === undefined || !isChanged) return
  for (const word of operands)
    if (word.searchRoots !== undefined) applyRole(changesWith ? 'writes' : role, [word], draft, false)
}

/** Records that the operands may contain a command or script that is known only at run time. */
function addUnknownInnerCommand(roles: readonly OperandRole[] = [], draft: EffectsDraft): void {
  if (roles.includes('shell')) draft.runsUnknownText = true
  if (roles.includes('shell') || roles.includes('command')) draft.isUnresolved = true
}

function changesOperands({ operands = [], lastOperand }: CommandUsage): boolean {
  return [...operands, lastOperand].some(
    (role) => role !== undefined && /^(?:writes|deletes|moves|output|prefix)/.test(role),
  )
}

/** Whether the program changes its operands, always or with a given option. */
function mayChangeOperands(usage: CommandUsage, words: readonly ShellWord[]): boolean {
  const names = splitNames(usage.changesWith)
  const isGiven = (name: string, text: string) =>
    text.startsWith(name) || (name.length === 2 && /^-[^-]/.test(text) && text.includes(name.slice(1)))
  return changesOperands(usage) || names.some((name) => words.some(({ text }) => isGiven(name, text)))
}

/** Adds every unknown word as a possible write, because any of them may name a changed file. */
function addUnknownWrites(words: readonly ShellWord[], draft: EffectsDraft): void {
  for (const word of words) {
    if (!isKnown(word)) draft.writes.push({ word, isTree: false })
  }
}

function isAnyGiven(names: string | undefined, { options }: ParsedArguments): boolean {
  return names !== undefined && options.size > 0 && splitNames(names).some((name) => options.has(name))
}

function addChangedFiles(roleAssignments: readonly RoleAssignment[], draft: EffectsDraft): void {
  draft.addChange()
  for (const { role, words } of roleAssignments) if (role === 'reads') applyRole('writes', words, draft, false)
}

interface RoleAssignment {
  readonly role: Role | undefined
  readonly words: readonly ShellWord[]
}

/** Assigns a role to each operand. The role `command` takes all remaining words; an extra operand gets no role. */
function assignRoles(
  { lastOperand }: CommandUsage,
  roles: readonly OperandRole[],
  operands: readonly ShellWord[],
): readonly RoleAssignment[] {
  const roleAssignments: RoleAssignment[] = []
  let at = 0
  let index = -1
  for (const word of operands) {
    index += 1
    // `env -` starts with an empty environment; the dash is not the command.
    if (roles[at] === 'assignments' && !isAssignmentWord(word) && word.text !== '-') at += 1
    const isLast = lastOperand !== undefined && index > 0 && index === operands.length - 1
    const role = isLast ? lastOperand : withoutDots(roles[at])
    if (role === 'command') return [...roleAssignments, { role, words: operands.slice(index) }]
    const words = [word]
    roleAssignments.push({ role, words })
    if (role === undefined) return roleAssignments
    if (role !== 'assignments' && roles[at]?.endsWith('...') !== true) at += 1
  }
  return roleAssignments
}

/** Adds the role of the last operands to words that may expand to several, such as the `*` in `grep *`: the later ones are files. */
function addLaterRoles(
  roles: readonly OperandRole[],
  roleAssignments: readonly RoleAssignment[],
): readonly RoleAssignment[] {
  const lastRole = withoutDots(roles.at(-1))
  const expansions = roleAssignments.filter(({ role, words }) => role !== lastRole && words[0]?.spread !== 'one')
  return expansions.length === 0
    ? roleAssignments
    : [...roleAssignments, ...expansions.map(({ words }) => ({ role: lastRole, words }))]
}

function findRoles(usage: CommandUsage, parsedArguments: ParsedArguments): readonly OperandRole[] {
  const matchingCase = usage.operandCases?.find((operandCase) => isAnyGiven(operandCase.options, parsedArguments))
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

const HARMLESS_ROLES: ReadonlySet<Role> = new Set<Role>([
  'text',
  'reads',
  'compressed',
  'followed',
  'opened',
  'tree',
  'searched',
])

function withoutDots(role: OperandRole | undefined): Role | undefined {
  return (role?.endsWith('...') === true ? role.slice(0, -3) : role) as Role | undefined
}
