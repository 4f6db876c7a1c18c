import type { Assignment, Command, CommandArgument } from 'unbash'
import type { WrittenCommand } from '../../contract/command.js'
import type { AnalysedCommand } from '../analysed-command.js'
import { findSpec } from '../families/index.js'
import { findRepositoryProgram } from '../git/find-repository-program.js'
import type { GitWord } from '../git/git-use.js'
import type { RepositoryFacts } from '../git/repository-facts.js'
import { checkCommand } from '../programs/check-command.js'
import { type CommandEffects, createUnknownEffects, EffectsDraft, type InnerCommand } from '../programs/effects.js'
import {
  isHarmlessVariable,
  isLookupVariable,
  isScriptVariable,
  isShellVariable,
} from '../words/environment-variables.js'
import { isNumericText } from '../words/evaluation-problems.js'
import { type ExpansionListener, expandValue, expandWord, expandWords } from '../words/expand-word.js'
import { type HomeFolder, joinFolders, joinPath, type Scope, subshellOf } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord, UNKNOWN_WORDS } from '../words/shell-word.js'
import { printsNumber } from '../words/substitution-output.js'
import { namesReadBy } from './file-names.js'
import { baseNameOf, findPossibleEffects } from './possible-effects.js'
import { analyseRedirections } from './redirections.js'
import { recordLinks, resolveFiles } from './resolve-files.js'
import { findShellChange } from './shell-changes.js'
import type { ExpandedCommand, Walker } from './walker.js'
import { mayRunWhatWasWritten, recordWrites } from './written-files.js'

/** Builtins that may set variables. If their name is not literal, `findVariables` has missed them. */
const VARIABLE_SETTERS: ReadonlySet<string> = new Set(['read', 'command', 'builtin'])

/** Analyses one command of a script: expands its words, then adds its effects to the walker. */
export function analyseNode(walker: Walker, node: Command, scope: Scope, isTop: boolean): void {
  const problems: string[] = []
  let hasSubstitution = false
  const listener = walker.createListener(scope, problems, () => {
    hasSubstitution = true
  })
  const assignmentNodes = node.prefix.filter((each) => each.type === 'Assignment')
  const assignments = assignmentNodes.map((each) => expandAssignment(each, scope, listener))
  const redirections = analyseRedirections(node.redirects, scope, listener)
  const words = node.name === undefined ? [] : [...expandWords(node.name, scope, listener)]
  for (const argument of node.args) words.push(...expandArgument(argument, scope, listener))
  const [program] = words
  if (node.name?.parts !== undefined && program !== undefined && VARIABLE_SETTERS.has(program.text)) {
    problems.push('sets an unknown variable')
  }
  const call = {
    ...{ words, assignments, redirections, problems, hasSubstitution },
    ...{ wrapperCommands: [], isVisibleToRules: true },
  }
  if (node.name !== undefined) {
    analyseWords(walker, call, scope)
    return
  }
  for (const [index, each] of assignmentNodes.entries()) {
    // Shells differ in whether a redirection that fails prevents the assignment.
    const problem = setVariable(each, assignments[index], scope, isTop && node.redirects.length === 0)
    if (problem !== undefined && (each.index !== undefined || isLookupVariable(each.name))) walker.isUnresolved = true
    if (problem !== undefined) problems.push(problem)
  }
  analyseWords(walker, { ...call, assignments: [], words: [] }, scope)
}

/** Records the value of a shell variable if it is known. Returns why setting it may have effects, or undefined. */
function setVariable(node: Assignment, word: ShellWord | undefined, scope: Scope, isTop: boolean): string | undefined {
  const { name, index, append } = node
  if (index !== undefined && !isNumericText(index.value, scope)) return 'evaluates a subscript'
  const value = word !== undefined && isKnown(word) ? word.text.slice(name.length + 1) : undefined
  if (isShellVariable(name) && !isHarmlessVariable(name, value)) return `sets ${name}`
  const hasTilde = node.value.type === 'Word' && /(?:^|:)~/.test(node.value.text)
  const isPlain = isTop && value !== undefined && index === undefined && append !== true && !hasTilde
  if (isPlain && node.value.type === 'Word' && scope.variables.isSetOnce(name))
    scope.variables.values.set(name, [value])
  if (isTop && index === undefined && append !== true && scope.variables.isSetOnce(name) && isNumericAssignment(node)) {
    scope.variables.numbers.add(name)
  }
  if (isScriptVariable(name) || isHarmlessVariable(name, value)) return undefined
  // In a loop, earlier commands run again with the variable set.
  if (!isTop) return `sets ${name}`
  scope.isTainted = true
  return undefined
}

/** Whether the value is a single substitution that prints a number. */
function isNumericAssignment({ value }: Assignment): boolean {
  const [part] = value.type === 'Word' && value.parts?.length === 1 ? value.parts : []
  return part?.type === 'CommandExpansion' && printsNumber(part.script)
}

function expandAssignment(node: Assignment, scope: Scope, listener: ExpansionListener): ShellWord {
  const start = `${node.name}=`
  if (node.index !== undefined) expandWord(node.index, scope, listener)
  if (node.value.type === 'ArrayValue') {
    for (const element of node.value.elements) {
      expandWord(element, scope, listener)
      if (/^\[(?!\d+\])/.test(element.text)) listener.onProblem('evaluates a subscript')
    }
    return { text: node.text, knownLength: start.length, spread: 'one' }
  }
  const value = expandValue(node.value, scope, listener)
  // Assignments are not subject to word splitting and globbing.
  const isFullyKnown = value.spread === 'one' && value.knownLength >= value.text.length && node.index === undefined
  const text = start + value.text
  return { text, knownLength: isFullyKnown ? text.length : start.length, spread: 'one' }
}

function expandArgument(node: CommandArgument, scope: Scope, listener: ExpansionListener): readonly ShellWord[] {
  if (node.type === 'Word') return expandWords(node, scope, listener)
  const word = expandAssignment(node, scope, listener)
  // The arguments of `export` and `declare` are subject to brace expansion.
  return node.text.includes('{') ? [{ ...word, knownLength: 0, spread: 'any' }] : [word]
}

const MAX_WORDS = 2_000

/** Analyses the words of one command, and then the commands that it runs. */
function analyseWords(walker: Walker, call: ExpandedCommand, scope: Scope): void {
  const effects = call.words.length > MAX_WORDS ? createUnknownEffects('too many words') : effectsOf(call)
  if (effects.isUnresolved) walker.isUnresolved = true
  if (effects.runsUnknownText === true) walker.runsUnknownText = true
  const change = findShellChange(call, effects)
  if (change === 'lookup') walker.isUnresolved = true
  const command = toCommand(walker, call, effects, scope)
  const settings = call.assignments.filter((word) => !isHarmlessAssignment(word))
  if (mayRunWhatWasWritten(walker, call.words, command, settings, scope)) walker.isUnresolved = true
  walker.add(command)
  recordWrites(walker, command)
  recordLinks(walker, command)
  changeFolder(effects, scope)
  if (change !== undefined) scope.isTainted = true
  for (const inner of effects.inner) analyseInner(walker, inner, call, command, scope)
  if (effects.readsScript === true) analyseInput(walker, call, scope)
}

function effectsOf({ words }: ExpandedCommand): CommandEffects {
  const [program, ...args] = words
  if (program === undefined) return new EffectsDraft()
  if (!isKnown(program)) {
    return {
      ...createUnknownEffects('runs a command that is known only at run time'),
      risks: ['runs a command that is known only at run time'],
      isUnresolved: true,
    }
  }
  const name = systemProgramNameOf(program.text)
  if (name === undefined)
    return { ...createUnknownEffects('runs a file'), risks: ['runs a program outside the system folders'] }
  const spec = findSpec(name)
  if (spec === undefined) return createUnknownEffects(`runs the unknown program ${name}`)
  return checkCommand(spec, args)
}

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/

/** Returns the name of a program that is found through PATH or is in a system folder; undefined for any other file. */
function systemProgramNameOf(text: string): string | undefined {
  return text.includes('/') ? SYSTEM_FOLDER.exec(text)?.[1] : text
}

function toCommand(walker: Walker, call: ExpandedCommand, effects: CommandEffects, shell: Scope): AnalysedCommand {
  const { redirections, words, assignments } = call
  const scope = { ...shell }
  changeFolder({ folder: effects.runsIn }, scope)
  const files = resolveFiles({
    reads: [...effects.reads, ...redirections.reads],
    writes: effects.writes,
    redirects: redirections.writes,
    walker,
    scope,
  })
  const git = repositoriesOf(walker, effects, scope, words)
  const problems = [...call.problems, ...redirections.problems, ...effects.problems, ...findAssignmentProblems(call)]
  if (scope.isTainted && words.length > 0) problems.push('runs with a variable that was set before')
  const network = effects.network || redirections.network
  const hasEffects = problems.length > 0 || network
  const isReadOnly = !hasEffects && git.problems.length === 0
  const settings = assignments.filter((word) => !isHarmlessAssignment(word))
  const isComplete =
    effects.isComplete && call.problems.length === 0 && files.unknownWords.length === 0 && settings.length === 0
  const isElsewhere = scope.folders?.every((folder) => folder === walker.start) !== true
  return {
    words: words.map(({ text }) => text),
    argv: words,
    ...(effects.subcommandAt !== undefined && { subcommandAt: effects.subcommandAt }),
    asWritten: files.hasUnknownRedirect || redirections.network ? [] : writtenCommandsOf(call),
    isReadOnly,
    ...files.resolved,
    areEffectsKnown: isReadOnly && isComplete,
    ...(isElsewhere && { isElsewhere }),
    ...(effects.risks.includes('deletes files') && { deletes: true }),
    ...(!isComplete && {
      possible: findPossibleEffects({
        ...{ words, settings, effects, scope, isElsewhere },
        readsFile: redirections.reads.length > 0,
        input: redirections.input,
        files: files.unknownWords,
      }),
    }),
    network,
    isComplete,
    fitsReadOnlySandbox: !hasEffects && git.isInStartFolder,
    risks: [...new Set([...effects.risks, ...risksOf(call, redirections.writes.length > 0)])],
    repositories: git.repositories,
  }
}

interface RepositoryUse {
  /** Folders whose git configuration matters. */
  readonly repositories: readonly string[]
  /** Why git may run other programs. */
  readonly problems: readonly string[]
  /** Git runs only in the folder in which the script starts. */
  readonly isInStartFolder: boolean
}

function repositoriesOf(
  { start, repositories: factsByFolder }: Walker,
  { usesRepository, subcommandAt }: CommandEffects,
  { folders }: Scope,
  words: readonly ShellWord[],
): RepositoryUse {
  if (!usesRepository) return { repositories: [], problems: [], isInStartFolder: true }
  const at = typeof subcommandAt === 'number' ? subcommandAt + 1 : words.length
  const [subcommand = '', ...args] = words.slice(at).map(toGitWord)
  const problemIn = (folder: string) => {
    const facts = factsByFolder === undefined ? null : factsByFolder.get(folder)
    // A folder other than the start may become a repository before git runs.
    if (facts === null) return folder === start ? null : UNKNOWN_REPOSITORY
    if (facts === undefined || !hasSameSettings(facts, factsByFolder?.get(start))) return UNKNOWN_REPOSITORY
    return findRepositoryProgram(facts, subcommand ?? '', args)
  }
  const problems = folders === undefined ? [UNKNOWN_REPOSITORY] : folders.map(problemIn)
  const isInStartFolder = folders?.every((folder) => folder === start) === true
  return {
    // The repository of the start folder is needed for comparison.
    repositories: folders === undefined || isInStartFolder ? (folders ?? []) : [...folders, start],
    problems: problems.filter((problem) => problem !== null),
    isInStartFolder,
  }
}

/** Whether a folder belongs to the repository of the start folder, or to one with the same settings. */
function hasSameSettings(facts: RepositoryFacts, startFacts: RepositoryFacts | null | undefined): boolean {
  if (facts === startFacts) return true
  return startFacts != null && JSON.stringify(facts.settings) === JSON.stringify(startFacts.settings)
}

/** An option with an unknown value may be a format such as `%G?`, which verifies signatures. */
function toGitWord(word: ShellWord): GitWord {
  if (isKnown(word)) return word.text
  return knownPartOf(word).startsWith('-') ? `${knownPartOf(word)}%G?` : null
}

const UNKNOWN_REPOSITORY = 'depends on the configuration of a repository'

/** Describes the assignments before the program that may change what the program does. */
function findAssignmentProblems({ assignments, words }: ExpandedCommand): readonly string[] {
  // `IFS` before `read` applies to this one command only.
  const isRead = words[0]?.text === 'read'
  return assignments
    .filter((word) => !isHarmlessAssignment(word) && !(isRead && word.text.startsWith('IFS=')))
    .map((word) => `sets ${word.text.split('=')[0]}`)
}

function isHarmlessAssignment(word: ShellWord): boolean {
  const [name = ''] = knownPartOf(word).split('=', 1)
  return isHarmlessVariable(name, isKnown(word) ? word.text.slice(name.length + 1) : undefined)
}

function risksOf({ problems }: ExpandedCommand, hasWrites: boolean): readonly string[] {
  return [
    ...(hasWrites ? ['writes files'] : []),
    ...(problems.length > 0 ? ['depends on values that are known only at run time'] : []),
  ]
}

function writtenCommandsOf({
  words,
  assignments,
  hasSubstitution,
  problems,
  wrapperCommands,
  isVisibleToRules,
}: ExpandedCommand): readonly WrittenCommand[] {
  // An expansion that evaluates values can run commands like a substitution.
  if (hasSubstitution || problems.length > 0 || words.length === 0) return []
  const areHarmless = assignments.length > 0 && assignments.every(isHarmlessAssignment)
  const ownCommands = isVisibleToRules
    ? [{ words: [...assignments, ...words] }, ...(areHarmless ? [{ words }] : [])]
    : []
  return [...ownCommands, ...wrapperCommands]
}

function changeFolder({ folder }: { readonly folder?: CommandEffects['folder'] | undefined }, scope: Scope): void {
  if (folder === undefined) return
  const base = scope.folders
  if (folder === 'unknown' || base === undefined || !isKnown(folder)) scope.folders = undefined
  else if (folder.text.startsWith('~') && folder.isQuoted !== true)
    scope.folders = resolveHomeFolder(folder.text, scope.home)
  else scope.folders = base.map((each) => joinPath(each, folder.text))
}

function resolveHomeFolder(text: string, home: HomeFolder | undefined): readonly string[] | undefined {
  if (home === undefined || (text !== '~' && !text.startsWith('~/'))) return undefined
  return [joinPath(home.use(), `.${text.slice(1)}`)]
}

function analyseInner(
  walker: Walker,
  inner: InnerCommand,
  call: ExpandedCommand,
  { asWritten }: AnalysedCommand,
  scope: Scope,
): void {
  const innerScope = subshellOf(scope)
  if (walker.isOverLimit(innerScope.depth)) return
  if (inner.kind === 'script') {
    const folders = analyseScript(walker, inner.script, innerScope)
    const [program] = call.words
    // A trap may run before any later command.
    if (program?.text === 'eval' || (program?.text === 'trap' && folders !== scope.folders)) scope.folders = undefined
    return
  }
  if (inner.isElsewhere === true) innerScope.folders = undefined
  // A rule for `find` does not mean every command that `find` can run.
  const isFind = baseNameOf(call.words[0]?.text ?? '') === 'find'
  const wrapperCommands = isFind ? asWritten.map((each) => ({ ...each, needsExactRule: true as const })) : asWritten
  const names = namesReadBy(call, scope.inputNames)
  const words = inner.words.map((word) => (word === UNKNOWN_WORDS ? (names ?? word) : word))
  analyseInnerWords(walker, { ...inner, words }, call, wrapperCommands, innerScope)
  // `command cd` and `builtin cd` change the folder of the shell itself.
  if (inner.isElsewhere !== true) scope.folders = joinFolders(scope.folders, innerScope.folders)
  scope.isTainted ||= innerScope.isTainted
}

function analyseInnerWords(
  walker: Walker,
  inner: Extract<InnerCommand, { kind: 'command' }>,
  call: ExpandedCommand,
  wrapperCommands: readonly WrittenCommand[],
  scope: Scope,
): void {
  analyseWords(
    walker,
    {
      words: inner.words,
      assignments: inner.assignments,
      redirections: { reads: [], writes: [], problems: [], network: false, input: undefined, replacesInput: false },
      problems: [],
      hasSubstitution: call.hasSubstitution,
      wrapperCommands,
      isVisibleToRules: call.isVisibleToRules && inner.isTransparent,
    },
    scope,
  )
}

/** Returns the folders in which the script may end. */
function analyseScript(walker: Walker, script: ShellWord, scope: Scope): readonly string[] | undefined {
  if (isKnown(script)) return walker.walkText(script.text, scope)
  walker.isUnresolved = true
  walker.runsUnknownText = true
  return undefined
}

/** Analyses the script that a shell reads from standard input. It is known only from a here-document or here-string. */
function analyseInput(walker: Walker, { redirections }: ExpandedCommand, scope: Scope): void {
  const { input } = redirections
  if (input === undefined || !isKnown(input)) walker.isUnresolved = true
  if (input !== undefined) walker.walkText(input.text, subshellOf(scope))
}
