import type { Assignment } from 'unbash'
import { isHarmlessVariable, isScriptVariable, isShellVariable } from '../words/environment-variables.js'
import { isNumericText } from '../words/evaluation-problems.js'
import type { Scope } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import { printsNumber } from '../words/substitution-output.js'
import type { Walker } from './walker.js'

/** Records the value of a shell variable if it is known. Returns why setting it may have effects, or undefined. */
export function setVariable(
  node: Assignment,
  word: ShellWord | undefined,
  scope: Scope,
  isTopLevel: boolean,
): string | undefined {
  const { name, index, append } = node
  if (index !== undefined && !isNumericText(index.value, scope)) return 'evaluates a subscript'
  const value = word !== undefined && isKnown(word) ? word.text.slice(name.length + 1) : undefined
  if (isShellVariable(name) && !isHarmlessVariable(name, value)) return `sets ${name}`
  const hasTilde = node.value.type === 'Word' && /(?:^|:)~/.test(node.value.text)
  const isPlain = isTopLevel && value !== undefined && index === undefined && append !== true && !hasTilde
  if (isPlain && node.value.type === 'Word' && scope.variables.isSetOnce(name))
    scope.variables.values.set(name, [value])
  if (
    isTopLevel &&
    index === undefined &&
    append !== true &&
    scope.variables.isSetOnce(name) &&
    isNumericAssignment(node)
  ) {
    scope.variables.numericNames.add(name)
  }
  if (isScriptVariable(name) || isHarmlessVariable(name, value)) return undefined
  // In a loop, earlier commands run again, now with this variable set.
  if (!isTopLevel) return `sets ${name}`
  scope.isTainted = true
  return undefined
}

/** Whether the value is a single substitution that prints a number. */
function isNumericAssignment({ value }: Assignment): boolean {
  const [part] = value.type === 'Word' && value.parts?.length === 1 ? value.parts : []
  return part?.type === 'CommandExpansion' && printsNumber(part.script)
}

/** Records an assignment, because the variable may be exported already, or later. */
export function recordSetting({ settings }: Walker, word: ShellWord | undefined): void {
  if (word === undefined || isScriptVariable(nameOfSetting(word)) || isHarmlessAssignment(word)) return
  settings.push(word)
}

/** Records the values of assignments, also of harmless variables: their values may name a program. */
export function recordValues({ assignedValues }: Walker, words: readonly ShellWord[]): void {
  for (const { text } of words) {
    const equals = text.indexOf('=')
    if (equals > 0) assignedValues.push(text.slice(equals + 1))
  }
}

function nameOfSetting(word: ShellWord): string {
  return /^[^=+[]*/.exec(knownPartOf(word))?.[0] ?? ''
}

/** Returns the assignment of a word to a variable. */
export function toSetting(name: string, word: ShellWord): ShellWord {
  const start = `${name}=`
  return { ...word, text: start + word.text, knownLength: start.length + word.knownLength }
}

/** Converts an operand of `export` or `read` to an assignment; without a value, to one of an unknown value. */
export function withValue(word: ShellWord): ShellWord | undefined {
  if (word.text.startsWith('-')) return undefined
  return word.text.includes('=') ? word : { text: `${word.text}=…`, knownLength: word.text.length + 1, spread: 'one' }
}

export function isHarmlessAssignment(word: ShellWord): boolean {
  const [name = ''] = knownPartOf(word).split('=', 1)
  return isHarmlessVariable(name, isKnown(word) ? word.text.slice(name.length + 1) : undefined)
}
