import type { Assignment, Command, CommandArgument } from 'unbash'
import type { FileGlob, WrittenCommand } from '../../contract/command.js'
import type { AnalysedCommand } from '../analysed-command.js'
import { findSpec } from '../families/index.js'
import { findOrdinaryUse, isOrdinaryProgram, packageProgramOf } from '../ordinary/find-ordinary-use.js'
import { checkCommand } from '../programs/check-command.js'
import { type CommandEffects, createUnknownEffects, EffectsDraft, type InnerCommand } from '../programs/effects.js'
import { isLookupVariable } from '../words/environment-variables.js'
import { findNumberProblem } from '../words/evaluation-problems.js'
import { type ExpansionListener, expandValue, expandWord, expandWords } from '../words/expand-word.js'
import { isMessage } from '../words/message-options.js'
import { type HomeFolder, joinFolders, joinPath, type Scope, subshellOf } from '../words/scope.js'
import { isAssignmentWord, isKnown, type ShellWord, toKnownWord, UNKNOWN_WORDS } from '../words/shell-word.js'
import { ignoresLinks, recordLinks } from './created-links.js'
import { findNamesReadBy } from './file-names.js'
import { globsOf } from './paths-of.js'
import { findPossibleEffects, findSettingEffects } from './possible-effects.js'
import { baseNameOf, systemProgramNameOf } from './program-names.js'
import { analyseRedirections, type Redirections, toInheritedRedirections } from './redirections.js'
import { findProjectRoot, type RepositoryUse, repositoriesOf, withNamedFiles } from './repository-use.js'
import { listGlobs, resolveFiles } from './resolve-files.js'
import { isHarmlessAssignment, recordSetting, recordValues, setVariable, withValue } from './settings.js'
import { findShellChange, isDeclaration } from './shell-changes.js'
import type { ExpandedCommand, Walker } from './walker.js'

/** Builtins that may set variables. `Variables` misses them if the program's name is not literal. */
const VARIABLE_SETTERS: ReadonlySet<string> = new Set(['read', 'command', 'builtin'])

/** Analyses one command of a script: expands its words, then records its effects in the walker. */
export function analyseNode(walker: Walker, node: Command, scope: Scope, isTopLevel: boolean): void {
  const problems: string[] = []
  let hasSubstitution = false
  const listener = walker.createListener(scope, problems, () => {
    hasSubstitution = true
  })
  const assignmentNodes = node.prefix.filter((prefixNode) => prefixNode.type === 'Assignment')
  const listedWords: ShellWord[] = []
  const assignments = assignmentNodes.map((assignmentNode) =>
    expandAssignment(assignmentNode, scope, listener, listedWords),
  )
  const redirections = analyseRedirections(node.redirects, scope, listener)
  const words: ShellWord[] = []
  if (node.name !== undefined) words.push(...expandWords(node.name, scope, listener))
  for (const argument of node.args) words.push(...expandArgument(argument, scope, listener, listedWords))
  const [program] = words
  if (node.name?.parts !== undefined && program !== undefined && VARIABLE_SETTERS.has(program.text)) {
    problems.push('sets an unknown variable')
  }
  const call: ExpandedCommand = {
    words,
    assignments,
    redirections,
    problems,
    listedWords,
    hasSubstitution,
    wrapperCommands: NO_COMMANDS,
    isVisibleToRules: true,
  }
  if (node.name !== undefined) {
    analyseWords(walker, call, scope)
    return
  }
  recordValues(walker, assignments)
  for (const [index, assignmentNode] of assignmentNodes.entries()) {
    // Shells differ in whether a failed redirection prevents the assignment.
    const problem = setVariable(assignmentNode, assignments[index], scope, isTopLevel && node.redirects.length === 0)
    recordSetting(walker, assignments[index])
    if (problem !== undefined && (assignmentNode.index !== undefined || isLookupVariable(assignmentNode.name)))
      walker.isUnresolved = true
    if (problem !== undefined) problems.push(problem)
  }
  analyseWords(walker, { ...call, assignments: [], words: [] }, scope)
}

function expandAssignment(
  node: Assignment,
  scope: Scope,
  listener: ExpansionListener,
  listedWords: ShellWord[],
): ShellWord {
  const start = `${node.name}=`
  if (node.index !== undefined) expandWord(node.index, scope, listener)
  if (node.value.type === 'ArrayValue') {
    for (const element of node.value.elements) {
      listedWords.push(...expandWords(element, scope, listener).filter(isListed))
      const [, subscript] = /^\[(?!\d+\])(.*)\]/s.exec(element.text) ?? []
      const problem = subscript === undefined ? undefined : findNumberProblem(subscript, scope, 'evaluates a subscript')
      if (problem !== undefined) listener.onProblem(problem.problem, problem.mayRunText)
    }
    return { text: node.text, knownLength: start.length, spread: 'one', isArray: true }
  }
  const value = expandValue(node.value, scope, listener)
  // The value of an assignment is not split or globbed, so it stays one word.
  const isFullyKnown = value.spread === 'one' && value.knownLength >= value.text.length && node.index === undefined
  const text = start + value.text
  return { text, knownLength: isFullyKnown ? text.length : start.length, spread: 'one' }
}

function expandArgument(
  node: CommandArgument,
  scope: Scope,
  listener: ExpansionListener,
  listedWords: ShellWord[],
): readonly ShellWord[] {
  if (node.type === 'Word') return expandWords(node, scope, listener)
  const word = expandAssignment(node, scope, listener, listedWords)
  // Unlike a plain assignment, an argument of `export` or `declare` is subject to brace expansion.
  return node.text.includes('{') ? [{ ...word, knownLength: 0, spread: 'any' }] : [word]
}

const MAX_WORDS = 600
const NO_COMMANDS: readonly WrittenCommand[] = []

/** Analyses the words of a command, then the commands that it runs. */
function analyseWords(walker: Walker, call: ExpandedCommand, scope: Scope): void {
  const hasTooManyWords = call.words.length > MAX_WORDS
  if (hasTooManyWords) walker.isTooLarge = true
  const effects = hasTooManyWords ? createUnknownEffects('has too many words') : effectsOf(call)
  if (effects.isUnresolved) walker.isUnresolved = true
  if (effects.runsUnknownText === true) walker.runsUnknownText = true
  const change = findShellChange(call, effects, scope.variables)
  if (change === 'lookup') walker.isUnresolved = true
  const settings = call.assignments.filter((word) => !isHarmlessAssignment(word))
  recordValues(walker, isDeclaration(call.words) ? call.words : call.assignments)
  const command = toCommand(walker, call, settings, effects, scope)
  walker.add(command)
  for (const launchedCommand of listLaunchedCommands(call.words, effects))
    analyseInner(walker, launchedCommand, call, command, scope)
  recordLinks(walker, command, scope)
  changeFolder(effects.folder, scope)
  if (change !== undefined) scope.isTainted = true
  if (change === 'environment') for (const word of call.words.slice(1)) recordSetting(walker, withValue(word))
  // `exec < FILE` without a program redirects the input of all later commands.
  if (call.words[0]?.text === 'exec' && call.redirections.hasInput) scope.hasInput = true
  for (const innerCommand of effects.innerCommands) analyseInner(walker, innerCommand, call, command, scope)
  if (effects.readsScript === true) analyseInput(walker, call, scope)
}

function effectsOf({ words }: ExpandedCommand): CommandEffects {
  const program = words[0]
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
  return checkCommand(spec, words.slice(1))
}

/** Returns the commands that a launcher such as `npx`, `cross-env` or `concurrently` runs. */
function listLaunchedCommands(
  words: readonly ShellWord[],
  { isComplete, innerCommands }: CommandEffects,
): readonly InnerCommand[] {
  const { commandAt, scriptsAt = [] } =
    (isComplete || innerCommands.length > 0 ? undefined : findOrdinaryUse(words)) ?? {}
  const scripts = scriptsAt
    .flatMap((at) => words[at] ?? [])
    .filter(({ text }) => !/^(?:npm|yarn|pnpm|bun|node):[\w:*-]+$/.test(text))
  if (commandAt === undefined) return scripts.map((script) => ({ kind: 'script', script, isTransparent: false }))
  const command = words
    .slice(commandAt)
    .filter((word, at) => !(words[0]?.text === 'istanbul' && at === 1 && word.text === '--'))
  const programAt = command.findIndex((word) => !isAssignmentWord(word))
  const program = command[programAt]
  if (program === undefined) return []
  // A package may have a scope and a version: `npx @biomejs/biome@2`.
  const name = packageProgramOf(program.text) ?? program.text.replace(/^@[\w.-]+\//, '').replace(/(.)@.*$/s, '$1')
  // These launchers start only programs of packages.
  const isDependency =
    /^(?:npx|bunx)$/.test(words[0]?.text ?? '') && findSpec(name) === undefined && !isOrdinaryProgram(name)
  const launchedWords = [
    toKnownWord(isDependency ? `node_modules/.bin/${name}` : name),
    ...command.slice(programAt + 1),
  ]
  return [{ kind: 'command', words: launchedWords, assignments: command.slice(0, programAt), isTransparent: false }]
}

function toCommand(
  walker: Walker,
  call: ExpandedCommand,
  ownSettings: readonly ShellWord[],
  effects: CommandEffects,
  shell: Scope,
): AnalysedCommand {
  const { redirections, words } = call
  const scope = effects.runFolder === undefined ? shell : subshellOf(shell)
  changeFolder(effects.runFolder, scope)
  const files = resolveFiles({
    reads: listReads(call, effects),
    writes: effects.writes,
    redirects: redirections.writes,
    walker,
    scope,
    shell,
    ignoresLinks: ignoresLinks(words, effects.subcommandAt),
  })
  const git = repositoriesOf(walker, effects, scope, words)
  const problems = [
    ...[...call.problems, ...redirections.problems, ...effects.problems, ...problemsOf(ownSettings, words)],
    ...findScopeProblems(call, effects, scope),
  ]
  const network = effects.network || redirections.network
  const hasEffects = problems.length > 0 || network
  const isReadOnly = !hasEffects && git.problems.length === 0
  const isComplete =
    effects.isComplete && call.problems.length === 0 && files.unknownWords.length === 0 && ownSettings.length === 0
  const isElsewhere = scope.folders?.every((folder) => folder === walker.start) !== true
  // The result is one literal with the same properties for every command, which is several times faster than spreads.
  return {
    words: words.map(({ text }) => text),
    argv: words,
    subcommandAt: effects.subcommandAt,
    asWritten:
      files.hasUnknownRedirect || changesMeaning(scope, isComplete)
        ? NO_COMMANDS
        : withRepository(writtenCommandsOf(call), isElsewhere, git),
    isReadOnly,
    ordinaryRepositories: git.ordinaryRepositories,
    reads: withNamedFiles(files.reads, git),
    readsFolders: effects.reads.some(({ readsFolder }) => readsFolder === true) ? true : undefined,
    found: files.found,
    writes: files.writes,
    globs: listGlobWords(words, scope, walker.start),
    writtenGlobs: files.writtenGlobs,
    redirects: files.redirects,
    areEffectsKnown: isReadOnly && isComplete,
    hasUnknownPath: files.hasUnknownPath,
    writesUnknownFile: files.writesUnknownFile,
    isElsewhere: isElsewhere ? true : undefined,
    deletesFiles: effects.risks.includes('deletes files') ? true : undefined,
    possible: isComplete
      ? findSettingEffects(walker.settings)
      : findPossibleEffects({
          words,
          settings: [...walker.settings, ...ownSettings],
          assignedValues: walker.assignedValues,
          effects,
          scope,
          start: walker.start,
          projectRoot: findProjectRoot(walker),
          isElsewhere,
          redirections,
          files: files.unknownWords,
        }),
    network,
    isComplete,
    fitsReadOnlySandbox: !hasEffects && git.isInStartFolder,
    risks: risksOf(effects, call),
    repositories: git.repositories,
  }
}

function isListed({ hasPattern }: ShellWord): boolean {
  return hasPattern === true
}

function listGlobWords(words: readonly ShellWord[], scope: Scope, start: string): readonly FileGlob[] | undefined {
  const globs = words.flatMap((word) => (isKnown(word) ? [] : (globsOf(word, scope, start) ?? [])))
  return globs.length === 0 ? undefined : globs
}

const RUN_FOLDER = toKnownWord('.')

/** Lists the words that name what a command reads. To expand a glob, the shell reads its folder, whatever the program is. */
function listReads({ words, listedWords, redirections }: ExpandedCommand, effects: CommandEffects) {
  const reads = redirections.reads.length === 0 ? effects.reads : [...effects.reads, ...redirections.reads]
  if (listedWords.length === 0 && effects.runFolder === undefined && !words.some(isListed)) return reads
  const globs = [...words.filter((word) => isListed(word) && !reads.some((read) => read.word === word)), ...listedWords]
  const ownReads = effects.runFolder === undefined ? [] : [{ word: RUN_FOLDER, isTree: false }]
  return [...reads, ...ownReads, ...listGlobs(globs)]
}

/**
 * Requires exact rules for a git command in another repository: a rule for git does not cover programs that the configuration
 * of that repository runs.
 */
function withRepository(
  commands: readonly WrittenCommand[],
  isElsewhere: boolean,
  { problems }: RepositoryUse,
): readonly WrittenCommand[] {
  return isElsewhere && problems.length > 0
    ? commands.map((command) => ({ ...command, needsExactRule: true }))
    : commands
}

/** Whether a variable that was set before may change what a program does that no table describes. */
function changesMeaning({ isTainted }: Scope, isComplete: boolean): boolean {
  return isTainted && !isComplete
}

function findScopeProblems(
  { words, redirections }: ExpandedCommand,
  { runFolder }: CommandEffects,
  { isTainted }: Scope,
): readonly string[] {
  const problems: string[] = []
  if (runFolder !== undefined && (words.some(isListed) || redirections.reads.length > 0))
    problems.push('names files in another folder than the one in which it runs')
  if (isTainted && words.length > 0) problems.push('runs with a variable that was set before')
  return problems
}

/** Describes the assignments before the program that may change what the program does. */
function problemsOf(settings: readonly ShellWord[], words: readonly ShellWord[]): readonly string[] {
  if (settings.length === 0) return []
  // `IFS=` before `read` affects only this one command.
  const isRead = words[0]?.text === 'read'
  return settings
    .filter((word) => !(isRead && word.text.startsWith('IFS=')))
    .map((word) => `sets ${word.text.split('=')[0]}`)
}

function risksOf({ risks: ownRisks }: CommandEffects, { problems, redirections }: ExpandedCommand): readonly string[] {
  const risks = [...ownRisks]
  if (redirections.writes.length > 0 && !risks.includes('writes files')) risks.push('writes files')
  if (problems.length > 0) risks.push('depends on values that are known only at run time')
  return risks
}

/** Whether all unknown words are messages, as in `git commit -m "$(date)"`. Rules judge the substituted command by itself. */
function isOnlyInMessages(
  words: readonly ShellWord[],
  assignments: readonly ShellWord[],
  { reads, writes, input }: Redirections,
): boolean {
  if (assignments.length + reads.length + writes.length > 0 || input !== undefined || words.every(isKnown)) return false
  const program = words[0]?.text ?? ''
  return words.every((word, at) => {
    const previousWord = words[at - 1]
    if (isKnown(word) || previousWord === undefined) return isKnown(word)
    return word.spread === 'one' && isKnown(previousWord) && isMessage(program, '', previousWord.text)
  })
}

function writtenCommandsOf({
  words,
  assignments,
  redirections,
  hasSubstitution,
  problems,
  wrapperCommands,
  isVisibleToRules,
}: ExpandedCommand): readonly WrittenCommand[] {
  // An expansion that evaluates values can run commands, just like a substitution.
  if (problems.length > 0 || words.length === 0 || redirections.network) return NO_COMMANDS
  if (hasSubstitution && !isOnlyInMessages(words, assignments, redirections)) return NO_COMMANDS
  if (!isVisibleToRules) return wrapperCommands
  const ownCommand: WrittenCommand = { words }
  if (assignments.length === 0) return [ownCommand, ...wrapperCommands]
  const wholeCommand: WrittenCommand = { words: [...assignments, ...words] }
  const areAssignmentsHarmless = assignments.every(isHarmlessAssignment)
  return areAssignmentsHarmless ? [wholeCommand, ownCommand, ...wrapperCommands] : [wholeCommand, ...wrapperCommands]
}

function changeFolder(folder: CommandEffects['folder'] | undefined, scope: Scope): void {
  if (folder === undefined) return
  const baseFolders = scope.folders
  if (folder === 'unknown' || baseFolders === undefined || !isKnown(folder)) scope.folders = undefined
  else if (folder.text.startsWith('~') && folder.isQuoted !== true)
    scope.folders = resolveHomeFolder(folder.text, scope.home)
  else scope.folders = baseFolders.map((baseFolder) => joinPath(baseFolder, folder.text))
}

function resolveHomeFolder(text: string, home: HomeFolder | undefined): readonly string[] | undefined {
  if (home === undefined || (text !== '~' && !text.startsWith('~/'))) return undefined
  return [joinPath(home.use(), `.${text.slice(1)}`)]
}

function analyseInner(
  walker: Walker,
  innerCommand: InnerCommand,
  call: ExpandedCommand,
  { asWritten }: AnalysedCommand,
  scope: Scope,
): void {
  const innerScope = subshellOf(scope)
  if (walker.isOverLimit(innerScope.depth)) return
  if (innerCommand.kind === 'script') {
    const folders = analyseScript(walker, innerCommand.script, innerScope)
    const [program] = call.words
    // The handler of a trap may run before any later command, so its `cd` counts from now on.
    if (program?.text === 'eval' || (program?.text === 'trap' && folders !== scope.folders)) scope.folders = undefined
    return
  }
  if (innerCommand.isElsewhere === true) innerScope.folders = undefined
  // An allow rule for `find` must not cover every command that `find` can run.
  const isFind = baseNameOf(call.words[0]?.text ?? '') === 'find'
  const wrapperCommands = isFind
    ? asWritten.map((writtenCommand) => ({ ...writtenCommand, needsExactRule: true as const }))
    : asWritten
  const names = findNamesReadBy(call, scope.inputNames)
  const words = innerCommand.words.map((word) => (word === UNKNOWN_WORDS ? (names ?? word) : word))
  analyseInnerWords(walker, { ...innerCommand, words }, call, wrapperCommands, innerScope)
  // `command cd` and `builtin cd` change the folder of the current shell.
  if (innerCommand.isElsewhere !== true) scope.folders = joinFolders(scope.folders, innerScope.folders)
  scope.isTainted ||= innerScope.isTainted
}

function analyseInnerWords(
  walker: Walker,
  innerCommand: Extract<InnerCommand, { kind: 'command' }>,
  call: ExpandedCommand,
  wrapperCommands: readonly WrittenCommand[],
  scope: Scope,
): void {
  analyseWords(
    walker,
    {
      words: innerCommand.words,
      assignments: innerCommand.assignments,
      redirections: toInheritedRedirections(call.redirections),
      problems: [],
      listedWords: [],
      hasSubstitution: call.hasSubstitution,
      wrapperCommands,
      isVisibleToRules: call.isVisibleToRules && innerCommand.isTransparent,
    },
    scope,
  )
}

/** Analyses a script and returns the folders in which it may end. */
function analyseScript(walker: Walker, script: ShellWord, scope: Scope): readonly string[] | undefined {
  if (isKnown(script)) return walker.walkText(script.text, scope)
  walker.isUnresolved = true
  walker.runsUnknownText = true
  return undefined
}

/** Analyses the script that a shell reads from standard input. Its text is known only for a here-document or here-string. */
function analyseInput(walker: Walker, { redirections }: ExpandedCommand, scope: Scope): void {
  const { input } = redirections
  if (input === undefined || !isKnown(input)) walker.isUnresolved = true
  if (input !== undefined) walker.walkText(input.text, subshellOf(scope))
}
