import { type Assignment, forEachChild, type HereDoc, type ParsedScript, type SyntaxNode, type Word } from 'unbash'

/** What the parser found, by position in the source. */
export interface Leaves {
  readonly words: ReadonlyMap<number, Word | Assignment>
  readonly hereDocuments: ReadonlyMap<number, HereDoc>
  /** The ends of `((…))` commands. */
  readonly arithmetic: ReadonlyMap<number, number>
  readonly descriptors: ReadonlySet<number>
  readonly regularExpressions: ReadonlySet<number>
  /** The starts of the first pattern and the ends of the last pattern of each `case` item. */
  readonly patternStarts: ReadonlySet<number>
  readonly patternEnds: ReadonlySet<number>
}

/** Words that bash reads as syntax at the start of a command. */
export const RESERVED = new Set(
  'if then elif else fi for while until do done case esac in select function { } ! [[ ]] time coproc'.split(' '),
)
const ASSIGNMENT_LIKE = /^\w+(?:\[.*)?\+?=/s

/** Returns undefined if a node is of a kind that is not agreed. */
export function collectLeaves(script: ParsedScript): Leaves | undefined {
  const leaves = {
    words: new Map<number, Word | Assignment>(),
    hereDocuments: new Map<number, HereDoc>(),
    arithmetic: new Map<number, number>(),
    descriptors: new Set<number>(),
    regularExpressions: new Set<number>(),
    patternStarts: new Set<number>(),
    patternEnds: new Set<number>(),
  }
  let isSupported = true
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'Word':
      case 'Assignment':
        leaves.words.set(node.pos, node)
        return
      case 'HereDoc':
        if (node.delimiter !== undefined) leaves.hereDocuments.set(node.delimiter.pos, node)
        return
      case 'FileDescriptor':
        leaves.descriptors.add(node.pos)
        return
      case 'ArithmeticCommand':
        leaves.arithmetic.set(node.pos, node.end)
        return
      case 'ArithmeticFor':
        visit(node.body)
        return
      case 'TestBinary':
        if (node.operator === '=~') leaves.regularExpressions.add(node.right.pos)
        break
      case 'CaseItem':
        for (const pattern of node.pattern.slice(0, 1)) leaves.patternStarts.add(pattern.pos)
        for (const pattern of node.pattern.slice(-1)) leaves.patternEnds.add(pattern.end)
        break
    }
    isSupported &&= isNodeSupported(node)
    forEachChild(node, visit)
  }
  visit(script)
  return isSupported ? leaves : undefined
}

/** The name of a command must neither be reserved nor look like an assignment: bash would read it as such. */
function isNodeSupported(node: SyntaxNode): boolean {
  if (node.type === 'FileDescriptorVariable') return false
  const name = node.type === 'Command' ? node.name?.text : undefined
  return name === undefined || !(RESERVED.has(name) || ASSIGNMENT_LIKE.test(name))
}
