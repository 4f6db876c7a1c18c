import type { WordPart } from 'unbash'
import type { Expansion } from './read-word.js'

/** Returns a function that finds the expansion at an index of the source, including those inside double quotes and globs. */
export function createExpansionFinder(
  parts: readonly WordPart[] | undefined,
): (index: number) => Expansion | undefined {
  let expansions: Map<number, Expansion> | undefined
  return (index) => {
    if (expansions === undefined) {
      expansions = new Map()
      collectExpansions(parts, expansions)
    }
    return expansions.get(index)
  }
}

function collectExpansions(parts: readonly WordPart[] | undefined, expansions: Map<number, Expansion>): void {
  for (const part of parts ?? []) {
    switch (part.type) {
      case 'SimpleExpansion':
      case 'ParameterExpansion':
      case 'CommandExpansion':
      case 'ArithmeticExpansion':
      case 'ProcessSubstitution':
        expansions.set(part.pos, part)
        break
      case 'DoubleQuoted':
      case 'LocaleString':
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        collectExpansions(part.parts, expansions)
        break
    }
  }
}
