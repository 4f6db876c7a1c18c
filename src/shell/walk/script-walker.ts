import type {
  AndOr,
  ArithmeticExpression,
  Command,
  For,
  ParsedScript,
  Pipeline,
  Redirection,
  Select,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from 'unbash'
import { type AnalysedCommand, NO_COMMAND } from '../facts.js'
import { isScriptVariable } from '../words/environment-variables.js'
import { arithmeticProblem, isNumericText } from '../words/evaluation-problems.js'
import { expandWord, type Findings } from '../words/expand-word.js'
import { joinFolders, type Scope, subshell } from '../words/scope.js'
import { givesNumbers } from '../words/substitution-output.js'
import { findVariables, literalText } from '../words/variables.js'
import { isTooLarge, parsedScript } from './parse-script.js'
import { pathsOf } from './paths-of.js'
import { findRedirections } from './redirections.js'
import { runCommand } from './run-command.js'
import type { Repositories, Walker } from './walker.js'

/** Bounds on the work for one line, so that a hostile one costs no more than a long one. */
const MAX_STEPS = 3_000
const MAX_SCRIPT_CHARS = 100_000
const MAX_DEPTH = 12
const MAX_NODES = 20_000

/** Goes through a script in the order in which it runs, and collects every command at any depth. */
export class ScriptWalker implements Walker {
  readonly commands: AnalysedCommand[] = []
  isUnresolved = false
  private steps = MAX_STEPS
  private chars = MAX_SCRIPT_CHARS

  constructor(
    readonly start: string,
    readonly repositories: Repositories | undefined,
  ) {}

  walkText(text: string, outer: Omit<Scope, 'variables'>): readonly string[] | undefined {
    this.chars -= text.length
    if (this.isOver(outer.depth)) return undefined
    if (isTooLarge(text)) {
      this.isUnresolved = true
      return undefined
    }
    const script = parsedScript(text)
    const variables = findVariables(script, { maxNodes: MAX_NODES, maxDepth: MAX_DEPTH })
    const scope = { ...outer, variables }
    this.walkScript(script, scope)
    return scope.folders
  }

  walkScript(script: ParsedScript | undefined, scope: Scope): void {
    if (script === undefined || (script.errors?.length ?? 0) > 0) this.isUnresolved = true
    if (script === undefined) return
    for (const statement of script.commands) this.walkStatement(statement, scope, scope.depth === 0)
  }

  add(command: AnalysedCommand): void {
    this.commands.push(command)
  }

  findings(scope: Scope, problems: string[], note?: () => void): Findings {
    return {
      runs: (script) => {
        note?.()
        this.chars -= script === undefined ? 0 : script.end - script.pos
        const inner = subshell(scope)
        if (!this.isOver(inner.depth)) this.walkScript(script, inner)
      },
      problem: (text) => problems.push(text),
    }
  }

  isOver(depth: number): boolean {
    this.steps -= 1
    const isOver = this.steps < 0 || this.chars < 0 || depth > MAX_DEPTH
    if (isOver) this.isUnresolved = true
    return isOver
  }

  private walkStatement(statement: Statement, scope: Scope, isTop: boolean): void {
    if (this.isOver(scope.depth)) return
    const before = scope.folders
    this.walkNode(
      statement.command,
      statement.background === true ? subshell(scope) : scope,
      isTop && statement.background !== true,
    )
    // Whether it worked is not known to what stands behind it.
    scope.folders = joinFolders(before, scope.folders)
  }

  private walkNode(node: SyntaxNode, scope: Scope, isTop = false): void {
    if (this.isOver(scope.depth)) return
    switch (node.type) {
      case 'Command':
        this.walkCommand(node, scope, isTop)
        return
      case 'AndOr':
        this.walkChain(node, scope)
        return
      case 'Pipeline':
        this.walkPipeline(node, scope)
        return
      case 'Subshell':
        this.walkNode(node.body, subshell(scope))
        return
      case 'BraceGroup':
        this.walkNode(node.body, scope)
        return
      case 'CompoundList':
        for (const statement of node.commands) this.walkStatement(statement, scope, false)
        return
      case 'Redirected':
        this.walkRedirections(node.redirects, scope)
        this.walkNode(node.command, scope)
        return
      default:
        this.walkCompound(node, scope)
    }
  }

  private walkCompound(node: SyntaxNode, scope: Scope): void {
    switch (node.type) {
      case 'If':
        this.walkAll(
          [node.clause, node.then, ...node.elif.flatMap((each) => [each.clause, each.then]), node.else],
          scope,
        )
        return
      case 'While':
        this.walkAgain([node.clause, node.body], scope)
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
        this.walkArithmetic([node.initialize, node.test, node.update], scope)
        this.walkAgain([node.body], scope)
        return
      case 'ArithmeticCommand':
        this.walkArithmetic([node.expression], scope)
        return
      case 'TestCommand':
        this.walkTest(node.expression, scope)
        return
      default:
        this.walkUnlisted(node, scope)
    }
  }

  /** What runs later, or under a name of its own, is listed, but nothing can be said of when it runs. */
  private walkUnlisted(node: SyntaxNode, scope: Scope): void {
    this.isUnresolved = true
    if (node.type === 'Function' || node.type === 'Coproc') this.walkNode(node.body, subshell(scope))
  }

  private walkAll(nodes: readonly (SyntaxNode | undefined)[], scope: Scope): void {
    for (const node of nodes) if (node !== undefined) this.walkNode(node, scope)
  }

  /** A loop that leaves its folder starts again in another one. */
  private walkAgain(nodes: readonly SyntaxNode[], scope: Scope): void {
    const before = scope.folders
    this.walkAll(nodes, scope)
    if (before === scope.folders) return
    scope.folders = undefined
    this.walkAll(nodes, scope)
  }

  /** Behind `&&` the command before has worked; behind `||` it may have or not. */
  private walkChain({ commands, operators }: AndOr, scope: Scope): void {
    let possible = scope.folders
    for (const [index, command] of commands.entries()) {
      if (operators[index - 1] === '||') scope.folders = possible
      this.walkNode(command, scope)
      possible = joinFolders(possible, scope.folders)
    }
    scope.folders = possible
  }

  private walkPipeline({ commands }: Pipeline, scope: Scope): void {
    if (commands.length === 1 && commands[0] !== undefined) this.walkNode(commands[0], scope)
    else for (const command of commands) this.walkPart(command, scope)
  }

  /** A part of a pipe runs in a shell of its own, but for the last one a setting of bash says otherwise. */
  private walkPart(command: SyntaxNode, scope: Scope): void {
    const below = subshell(scope)
    this.walkNode(command, below)
    scope.folders = joinFolders(scope.folders, below.folders)
    scope.isTainted ||= below.isTainted
  }

  private walkLoop(node: For | Select, scope: Scope): void {
    const words = node.wordlist ?? []
    const texts = words.map(literalText)
    this.walkWords(words, scope)
    const name = node.name.value
    const isKnown = node.type === 'For' && node.wordlist !== undefined && !texts.includes(undefined)
    if (!/^[A-Za-z_]\w*$/.test(name)) this.isUnresolved = true
    if (isKnown && texts.length > 0 && texts.length <= 64 && scope.variables.isSetOnce(name)) {
      scope.variables.values.set(name, texts.map(String))
    }
    if (!isScriptVariable(name)) this.addProblems(['sets a variable that programs may read'])
    const isNumber =
      node.type === 'For' && scope.variables.isSetOnce(name) && words.length > 0 && words.every(givesNumbers)
    if (isNumber) scope.variables.numbers.add(name)
    this.walkAgain([node.body], scope)
    // Behind the loop it may never have been set.
    if (isNumber) scope.variables.numbers.delete(name)
  }

  private walkWords(words: readonly Word[], scope: Scope): void {
    const problems: string[] = []
    for (const word of words) expandWord(word, scope, this.findings(scope, problems))
    this.addProblems(problems)
  }

  private walkArithmetic(expressions: readonly (ArithmeticExpression | undefined)[], scope: Scope): void {
    const problems: string[] = []
    const findings = this.findings(scope, problems)
    for (const expression of expressions) {
      const problem = expression === undefined ? undefined : arithmeticProblem(expression, scope, findings)
      if (problem !== undefined) problems.push(problem)
    }
    if (expressions.length === 1 && expressions[0] === undefined) problems.push('arithmetic that was not understood')
    this.addProblems(problems)
  }

  private walkTest(expression: Parameters<typeof testProblem>[0], scope: Scope): void {
    const problems: string[] = []
    const problem = testProblem(expression, scope, this.findings(scope, problems))
    this.addProblems(problem === undefined ? problems : [...problems, problem])
  }

  /** A part that is no command: harmless, or something that no rule with content may cover. */
  private addProblems(problems: readonly string[]): void {
    const isReadOnly = problems.length === 0
    this.add({ ...NO_COMMAND, isReadOnly, areEffectsKnown: isReadOnly, isComplete: isReadOnly, risks: problems })
  }

  private walkRedirections(redirects: readonly Redirection[], scope: Scope): void {
    const problems: string[] = []
    const found = findRedirections(redirects, scope, this.findings(scope, problems))
    const reads = found.reads.map((each) => pathsOf(each, scope, this.start))
    const writes = found.writes.map((each) => pathsOf(each, scope, this.start))
    const risks = [...problems, ...found.problems]
    const isComplete = ![...reads, ...writes].includes(undefined) && problems.length === 0 && !found.network
    this.add({
      ...NO_COMMAND,
      isReadOnly: risks.length === 0,
      reads: reads.flatMap((paths) => paths ?? []),
      redirects: writes.flatMap((paths) => paths ?? []),
      areEffectsKnown: isComplete && risks.length === 0,
      network: found.network,
      isComplete,
      risks,
    })
  }

  private walkCommand(node: Command, scope: Scope, isTop: boolean): void {
    runCommand(this, node, scope, isTop)
  }
}

/** Why `[[ … ]]` may do more than compare: numbers are evaluated, and so is the subscript of a name. */
export function testProblem(expression: TestExpression, scope: Scope, findings: Findings): string | undefined {
  switch (expression.type) {
    case 'TestUnary':
      expandWord(expression.operand, scope, findings)
      return /^-[vR]$/.test(expression.operator) && !/^\w+$/.test(expression.operand.text)
        ? 'a name that is evaluated'
        : undefined
    case 'TestBinary':
      expandWord(expression.left, scope, findings)
      expandWord(expression.right, scope, findings)
      return numberProblem(expression.operator, [expression.left, expression.right], scope)
    case 'TestLogical':
      return expression.operands.map((each) => testProblem(each, scope, findings)).find((each) => each !== undefined)
    case 'TestNot':
      return testProblem(expression.operand, scope, findings)
    case 'TestGroup':
      return testProblem(expression.expression, scope, findings)
  }
}

function numberProblem(operator: string, words: readonly Word[], scope: Scope): string | undefined {
  if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) return undefined
  return words.every((word) => isNumericText(word.text.replace(/^"(.*)"$/, '$1'), scope))
    ? undefined
    : 'a number that is evaluated'
}
