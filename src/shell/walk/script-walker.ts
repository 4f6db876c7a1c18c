import {
  type AndOr,
  type ArithmeticExpression,
  type ArithmeticFor,
  type Command,
  type For,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type Select,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { type AnalysedCommand, NO_COMMAND } from '../analysed-command.js'
import type { TouchedWord } from '../programs/effects.js'
import { isAgreed } from '../words/agreement.js'
import { counterOf } from '../words/counting-loop.js'
import { isScriptVariable } from '../words/environment-variables.js'
import { findArithmeticProblem } from '../words/evaluation-problems.js'
import { type ExpansionListener, expandWords } from '../words/expand-word.js'
import { isTooLarge } from '../words/is-too-large.js'
import { type InputNames, joinFolders, type Scope, scopeOfScript, scopeWithInput, subshellOf } from '../words/scope.js'
import { isKnown, type ShellWord, UNKNOWN_WORDS } from '../words/shell-word.js'
import { expandsToNumbers, numbersOf } from '../words/substitution-output.js'
import { Variables } from '../words/variables.js'
import { analyseNode } from './analyse-node.js'
import {
  isTildePath,
  MAX_LOOP_WORDS,
  NAME_PRINTERS,
  printedNamesOf,
  SILENT_LISTENER,
  toFileName,
} from './file-names.js'
import { findPossibleFiles } from './possible-files.js'
import { analyseRedirections, type Redirections } from './redirections.js'
import { listGlobs, resolveFiles } from './resolve-files.js'
import { toSetting } from './settings.js'
import { reportTestProblems } from './test-problems.js'
import { CreatedLinks, type Repositories, type Walker } from './walker.js'

/** Limits for one script, so that the time for analysing a hostile script is bounded. */
const MAX_STEPS = 300
const MAX_SCRIPT_CHARS = 100_000
const MAX_DEPTH = 12
const VARIABLE_BOUNDS = { maxNodes: 20_000, maxDepth: MAX_DEPTH }

const NO_REDIRECTIONS = { writes: [], network: false, problems: [] }

/** Walks a script in execution order and collects every command at any depth. */
export class ScriptWalker implements Walker {
  readonly commands: AnalysedCommand[] = []
  readonly links = new CreatedLinks()
  readonly settings: ShellWord[] = []
  readonly assignedValues: string[] = []
  isUnresolved = false
  isUnparsed = false
  isTooLarge = false
  runsUnknownText = false
  /** Whether commands run at the same time or repeatedly, so that a later one may change files for an earlier one. */
  isUnordered = false
  /** The whole script, once it is parsed. */
  script: ParsedScript | undefined
  private stepsLeft = MAX_STEPS
  private charsLeft = MAX_SCRIPT_CHARS

  constructor(
    readonly start: string,
    readonly repositories: Repositories | undefined,
  ) {}

  walkText(text: string, outerScope: Omit<Scope, 'variables'>): readonly string[] | undefined {
    this.charsLeft -= text.length
    if (this.isOverLimit(outerScope.depth)) return undefined
    if (isTooLarge(text)) {
      this.giveUp()
      return undefined
    }
    const script = parse(text)
    this.script ??= script
    if (!isAgreed(text, script)) this.isUnresolved = true
    const variables = new Variables(script, VARIABLE_BOUNDS)
    const scope = scopeOfScript(outerScope, variables)
    this.walkScript(script, scope)
    return scope.folders
  }

  walkScript(script: ParsedScript | undefined, scope: Scope): void {
    if (script === undefined || (script.errors?.length ?? 0) > 0) {
      this.isUnresolved = true
      this.isUnparsed = true
    }
    if (script === undefined) return
    for (const statement of script.commands) this.walkStatement(statement, scope, scope.depth === 0)
  }

  add(command: AnalysedCommand): void {
    this.commands.push(command)
  }

  createListener(scope: Scope, problems: string[], onSubstitution?: () => void): ExpansionListener {
    return {
      onScript: (script) => {
        onSubstitution?.()
        this.charsLeft -= script === undefined ? 0 : script.end - script.pos
        const subshell = subshellOf(scope)
        if (!this.isOverLimit(subshell.depth)) this.walkScript(script, subshell)
      },
      onProblem: (problem, mayRunText) => {
        problems.push(problem)
        if (mayRunText === true) this.isUnresolved = true
      },
    }
  }

  isOverLimit(depth: number): boolean {
    this.stepsLeft -= 1
    const isOverLimit = this.stepsLeft < 0 || this.charsLeft < 0 || depth > MAX_DEPTH
    if (isOverLimit) this.giveUp()
    return isOverLimit
  }

  private giveUp(): void {
    this.isUnresolved = true
    this.isUnparsed = true
    this.isTooLarge = true
  }

  private walkStatement(statement: Statement, scope: Scope, isTopLevel: boolean): void {
    if (this.isOverLimit(scope.depth)) return
    const foldersBefore = scope.folders
    if (statement.background === true) this.isUnordered = true
    this.walkNode(
      statement.command,
      statement.background === true ? subshellOf(scope) : scope,
      isTopLevel && statement.background !== true,
    )
    // Later statements run whether or not this one succeeded, so both folders are possible.
    scope.folders = joinFolders(foldersBefore, scope.folders)
  }

  private walkNode(node: SyntaxNode, scope: Scope, isTopLevel = false): void {
    if (this.isOverLimit(scope.depth)) return
    switch (node.type) {
      case 'Command':
        this.walkCommand(node, scope, isTopLevel)
        return
      case 'AndOr':
        this.walkChain(node, scope)
        return
      case 'Pipeline':
        this.walkPipeline(node, scope)
        return
      case 'Subshell':
        this.walkNode(node.body, subshellOf(scope))
        return
      case 'BraceGroup':
        this.walkNode(node.body, scope)
        return
      case 'CompoundList':
        for (const statement of node.commands) this.walkStatement(statement, scope, false)
        return
      case 'Redirected':
        this.walkRedirections(node.redirects, scope)
        this.walkWithInput(node.command, scope)
        return
      default:
        this.walkCompound(node, scope)
    }
  }

  private walkWithInput(node: SyntaxNode, scope: Scope): void {
    const innerScope = scopeWithInput(scope)
    this.walkNode(node, innerScope)
    scope.folders = innerScope.folders
    scope.isTainted = innerScope.isTainted
  }

  private walkCompound(node: SyntaxNode, scope: Scope): void {
    switch (node.type) {
      case 'If':
        this.walkAll(
          [node.clause, node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then]), node.else],
          scope,
        )
        return
      case 'While':
        this.walkRepeated([node.clause, node.body], scope)
        return
      case 'For':
      case 'Select':
        this.walkLoop(node, scope)
        return
      case 'Case':
        this.walkWords([node.word, ...node.items.flatMap((item) => item.pattern)], scope)
        this.walkAll(
          node.items.map((item) => item.body),
          scope,
        )
        return
      case 'ArithmeticFor':
        this.walkCountingLoop(node, scope)
        return
      case 'ArithmeticCommand':
        this.walkArithmetic([node.expression], scope)
        return
      case 'TestCommand':
        this.walkTest(node.expression, scope)
        return
      default:
        this.walkDeferred(node, scope)
    }
  }

  /** Walks functions and coprocesses. Their commands are listed, but it is unknown when they run. */
  private walkDeferred(node: SyntaxNode, scope: Scope): void {
    this.isUnresolved = true
    if (node.type !== 'Function' && node.type !== 'Coproc') return
    const subshell = subshellOf(scope)
    this.walkNode(node.body, subshell)
    if (subshell.folders !== scope.folders) scope.folders = undefined
  }

  private walkAll(nodes: readonly (SyntaxNode | undefined)[], scope: Scope): void {
    for (const node of nodes) if (node !== undefined) this.walkNode(node, scope)
  }

  /**
   * Walks the parts of a loop. If they change the folder, they are walked again, because the next iteration starts in another
   * folder.
   */
  private walkRepeated(nodes: readonly SyntaxNode[], scope: Scope): void {
    const foldersBefore = scope.folders
    this.isUnordered = true
    this.walkAll(nodes, scope)
    if (foldersBefore === scope.folders) return
    scope.folders = undefined
    this.walkAll(nodes, scope)
  }

  /** Walks a chain of commands. After `&&` the previous command has succeeded; after `||` it may have failed. */
  private walkChain({ commands, operators }: AndOr, scope: Scope): void {
    let possibleFolders = scope.folders
    for (const [index, command] of commands.entries()) {
      if (index > 0 && operators[index - 1] === '||') scope.folders = possibleFolders
      this.walkNode(command, scope)
      possibleFolders = joinFolders(possibleFolders, scope.folders)
    }
    scope.folders = possibleFolders
  }

  private walkPipeline({ commands }: Pipeline, scope: Scope): void {
    if (commands.length === 1 && commands[0] !== undefined) this.walkNode(commands[0], scope)
    else {
      this.isUnordered = true
      let previous: SyntaxNode | undefined
      for (const command of commands) {
        this.walkPipelinePart(command, previous, scope)
        previous = command
      }
    }
  }

  private findNamesPrintedBy(node: SyntaxNode | undefined, scope: Scope): InputNames | undefined {
    if (node?.type !== 'Command' || node.name === undefined || !NAME_PRINTERS.has(node.name.text)) return undefined
    if (node.prefix.length + node.redirects.length > 0) return undefined
    const words = node.args.flatMap((word) =>
      word.type === 'Word' ? expandWords(word, scope, SILENT_LISTENER) : [UNKNOWN_WORDS],
    )
    return printedNamesOf(node.name.text, words)
  }

  /**
   * Walks one part of a pipeline. It runs in a subshell, unless it is the last part and `lastpipe` is set, so its changes may
   * apply to the scope.
   */
  private walkPipelinePart(command: SyntaxNode, previous: SyntaxNode | undefined, scope: Scope): void {
    const inputNames = command.type === 'Command' ? this.findNamesPrintedBy(previous, scope) : undefined
    const hasInput = previous !== undefined || scope.hasInput === true
    const partScope = subshellOf(scope, inputNames, hasInput)
    this.walkNode(command, partScope)
    scope.folders = joinFolders(scope.folders, partScope.folders)
    scope.isTainted ||= partScope.isTainted
  }

  private walkLoop(node: For | Select, scope: Scope): void {
    const words = node.wordlist ?? []
    const expandedWords = this.walkWords(words, scope)
    const globs = expandedWords.filter(({ hasPattern }) => hasPattern === true)
    if (globs.length > 0) this.addFiles(listGlobs(globs), NO_REDIRECTIONS, [], scope)
    const texts = words.every((word) => numbersOf(word) !== undefined)
      ? words.flatMap((word) => numbersOf(word) ?? [])
      : expandedWords.map((word) => (isKnown(word) && !isTildePath(word) ? word.text : undefined))
    const name = node.name.value
    const areWordsKnown = node.type === 'For' && node.wordlist !== undefined && !texts.includes(undefined)
    if (!/^[A-Za-z_]\w*$/.test(name)) this.isUnresolved = true
    if (areWordsKnown && texts.length > 0 && texts.length <= MAX_LOOP_WORDS && scope.variables.isSetOnce(name)) {
      scope.variables.values.set(name, texts.map(String))
    }
    if (!isScriptVariable(name)) {
      this.addProblems(['sets a variable that programs may read'])
      this.settings.push(...expandedWords.map((word) => toSetting(name, word)))
    }
    const isNumeric =
      node.type === 'For' && scope.variables.isSetOnce(name) && words.length > 0 && words.every(expandsToNumbers)
    if (isNumeric) scope.variables.numericNames.add(name)
    const fileName = node.type === 'For' && scope.variables.isSetOnce(name) ? toFileName(expandedWords) : undefined
    if (fileName !== undefined) scope.variables.fileNames.set(name, fileName)
    this.walkRepeated([node.body], scope)
    // If the loop did not run, or ran in a subshell, the variable keeps its earlier value, which is unknown and may come from
    // the environment.
    scope.variables.values.delete(name)
    scope.variables.fileNames.delete(name)
    scope.variables.numericNames.delete(name)
  }

  private walkCountingLoop(node: ArithmeticFor, scope: Scope): void {
    const { initialize, test, update, body } = node
    const name = counterOf(node)
    const isCounter = name !== undefined && isScriptVariable(name) && scope.variables.isSetOnce(name)
    if (isCounter) scope.variables.numericNames.add(name)
    this.walkArithmetic(isCounter ? [undefined, test] : [initialize, test, update], scope)
    this.walkRepeated([body], scope)
    if (isCounter) scope.variables.numericNames.delete(name)
  }

  private walkWords(words: readonly Word[], scope: Scope): readonly ShellWord[] {
    const problems: string[] = []
    const expandedWords = words.flatMap((word) => expandWords(word, scope, this.createListener(scope, problems)))
    this.addProblems(problems)
    return expandedWords
  }

  private walkArithmetic(expressions: readonly (ArithmeticExpression | undefined)[], scope: Scope): void {
    const problems: string[] = []
    const listener = this.createListener(scope, problems)
    for (const expression of expressions) {
      const problem = expression === undefined ? undefined : findArithmeticProblem(expression, scope, listener)
      if (problem !== undefined) listener.onProblem(problem.problem, problem.mayRunText)
    }
    if (expressions.length === 1 && expressions[0] === undefined)
      problems.push('evaluates arithmetic that cannot be parsed')
    this.addProblems(problems)
  }

  private walkTest(expression: Parameters<typeof reportTestProblems>[0], scope: Scope): void {
    const problems: string[] = []
    reportTestProblems(expression, scope, this.createListener(scope, problems))
    this.addProblems(problems)
  }

  /** Adds an entry for a part that is not a command. If it has problems, only a rule without content can allow it. */
  private addProblems(problems: readonly string[]): void {
    const isReadOnly = problems.length === 0
    this.add({
      ...NO_COMMAND,
      isReadOnly,
      fitsReadOnlySandbox: isReadOnly,
      areEffectsKnown: isReadOnly,
      isComplete: isReadOnly,
      risks: problems,
    })
  }

  private walkRedirections(redirects: readonly Redirection[], scope: Scope): void {
    const problems: string[] = []
    const redirections = analyseRedirections(redirects, scope, this.createListener(scope, problems))
    this.addFiles(redirections.reads, redirections, problems, scope)
  }

  /** Adds an entry for files that are read or written by a part that is not a command. */
  private addFiles(
    reads: readonly TouchedWord[],
    { writes, network, problems: ownProblems }: Pick<Redirections, 'writes' | 'network' | 'problems'>,
    problems: readonly string[],
    scope: Scope,
  ): void {
    const files = resolveFiles({ reads, writes: [], redirects: writes, walker: this, scope })
    const risks = [...problems, ...ownProblems]
    const isComplete = files.unknownWords.length === 0 && problems.length === 0 && !network
    const command: AnalysedCommand = {
      ...NO_COMMAND,
      isReadOnly: risks.length === 0,
      fitsReadOnlySandbox: risks.length === 0,
      reads: files.reads,
      found: files.found,
      redirects: files.redirects,
      areEffectsKnown: isComplete && risks.length === 0,
      hasUnknownPath: files.hasUnknownPath,
      writesUnknownFile: files.writesUnknownFile,
      possible: isComplete ? undefined : findPossibleFiles(files.unknownWords, scope),
      network,
      isComplete,
      risks,
    }
    this.add(command)
  }

  private walkCommand(node: Command, scope: Scope, isTopLevel: boolean): void {
    analyseNode(this, node, scope, isTopLevel)
  }
}
