import type { Assignment, Command, CommandArgument } from 'unbash'
import { isNumericText } from './arithmetic-problem.js'
import { isHarmlessVariable, isScriptVariable, isShellVariable } from './environment-names.js'
import { expandWord, type Findings } from './expand-word.js'
import { givesNumber } from './plain-output.js'
import { findRedirections } from './redirections.js'
import { runWords } from './run-words.js'
import type { Scope } from './scope.js'
import { isKnown, type ShellWord } from './shell-word.js'
import type { Walker } from './walker.js'

/** Builtins that may set variables: where one is not spelled out, which they are was not seen. */
const SETS_VARIABLES: ReadonlySet<string> = new Set(['read', 'command', 'builtin'])

/** Judges one command of a script. */
export function runCommand(walker: Walker, node: Command, scope: Scope, isTop: boolean): void {
  const problems: string[] = []
  let hasSubstitution = false
  const findings = walker.findings(scope, problems, () => {
    hasSubstitution = true
  })
  const assigned = node.prefix.filter((each) => each.type === 'Assignment')
  const assignments = assigned.map((each) => expandAssignment(each, scope, findings))
  const redirections = findRedirections(node.redirects, scope, findings)
  const words = node.name === undefined ? [] : [expandWord(node.name, scope, findings)]
  for (const each of node.args) words.push(expandArgument(each, scope, findings))
  const [program] = words
  if (node.name?.parts !== undefined && program !== undefined && SETS_VARIABLES.has(program.text)) {
    problems.push('sets a variable that is not known')
  }
  const call = { words, assignments, redirections, problems, hasSubstitution, outer: [], isSeen: true }
  if (node.name !== undefined) {
    runWords(walker, call, scope)
    return
  }
  for (const [index, each] of assigned.entries()) {
    const problem = setVariable(each, assignments[index], scope, isTop)
    if (problem !== undefined) problems.push(problem)
  }
  runWords(walker, { ...call, assignments: [], words: [], outer: [] }, scope)
}

/** A variable of the shell itself: keeps its value where it can be told, and says what setting it may change. */
function setVariable(node: Assignment, word: ShellWord | undefined, scope: Scope, isTop: boolean): string | undefined {
  const { name, index, append } = node
  if (index !== undefined && !isNumericText(index.value, scope)) return 'a subscript that is evaluated'
  if (isShellVariable(name)) return `sets ${name}`
  const value = word !== undefined && isKnown(word) ? word.text.slice(name.length + 1) : undefined
  const hasHome = node.value.type === 'Word' && /(?:^|:)~/.test(node.value.text)
  const isPlain = isTop && value !== undefined && index === undefined && append !== true && !hasHome
  if (isPlain && node.value.type === 'Word' && scope.variables.isSetOnce(name))
    scope.variables.values.set(name, [value])
  if (isTop && index === undefined && append !== true && scope.variables.isSetOnce(name) && isNumber(node)) {
    scope.variables.numbers.add(name)
  }
  if (isScriptVariable(name) || isHarmlessVariable(name, value)) return undefined
  // Where it stands in a loop, what came before it runs again.
  if (!isTop) return `sets ${name}`
  scope.isTainted = true
  return undefined
}

/** Its value is what one substitution gives, which is a number. */
function isNumber({ value }: Assignment): boolean {
  const [part] = value.type === 'Word' && value.parts?.length === 1 ? value.parts : []
  return part?.type === 'CommandExpansion' && givesNumber(part.script)
}

function expandAssignment(node: Assignment, scope: Scope, findings: Findings): ShellWord {
  const start = `${node.name}=`
  if (node.index !== undefined) expandWord(node.index, scope, findings)
  if (node.value.type === 'ArrayValue') {
    for (const element of node.value.elements) {
      expandWord(element, scope, findings)
      if (/^\[(?!\d+\])/.test(element.text)) findings.problem('a subscript that is evaluated')
    }
    return { text: node.text, known: start.length, spread: 'one' }
  }
  const value = expandWord(node.value, scope, findings)
  // An assignment neither splits nor globs.
  const isWhole = value.spread === 'one' && value.known >= value.text.length && node.index === undefined
  const text = start + value.text
  return { text, known: isWhole ? text.length : start.length, spread: 'one' }
}

function expandArgument(node: CommandArgument, scope: Scope, findings: Findings): ShellWord {
  return node.type === 'Word' ? expandWord(node, scope, findings) : expandAssignment(node, scope, findings)
}
