import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'

/** The tokens that the parser found, by position in the source. Except for `words`, a collection without tokens is undefined. */
export interface Leaves {
  readonly words: Map<number, Word | Assignment>
  hereDocuments: Map<number, HereDoc> | undefined
  /** The ends of `((…))` commands, by their starts. */
  arithmetic: Map<number, number> | undefined
  descriptors: Set<number> | undefined
  regularExpressions: Set<number> | undefined
  /** The starts of the first patterns of `case` items. `patternEnds` has the ends of their last patterns. */
  patternStarts: Set<number> | undefined
  patternEnds: Set<number> | undefined
}

/** Words that bash reads as syntax at the start of a command. */
export const RESERVED_WORDS = new Set(
  'if then elif else fi for while until do done case esac in select function { } ! [[ ]] time coproc'.split(' '),
)
const ASSIGNMENT_LIKE_TEXT = /^\w+(?:\[.*)?\+?=/s

/** Collects the leaves of a script. Returns undefined if a node is outside of the agreed subset. */
export function collectLeaves(script: ParsedScript): Readonly<Leaves> | undefined {
  const leaves: Leaves = {
    words: new Map(),
    hereDocuments: undefined,
    arithmetic: undefined,
    descriptors: undefined,
    regularExpressions: undefined,
    patternStarts: undefined,
    patternEnds: undefined,
  }
  let isSupported = true
  // The usual nodes are visited without `forEachChild`, which is slower because it distinguishes all kinds of nodes.
  const visitCommand = ({ prefix, name, suffix }: Command): void => {
    for (const node of prefix) visit(node)
    if (name !== undefined) leaves.words.set(name.pos, name)
    for (const node of suffix) {
      if (node.type === 'Word') leaves.words.set(node.pos, node)
      else visit(node)
    }
  }
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Word' || node.type === 'Assignment') {
      leaves.words.set(node.pos, node)
      return
    }
    isSupported &&= isNodeSupported(node)
    if (node.type === 'Command') visitCommand(node)
    else if (node.type === 'ArithmeticFor') visit(node.body)
    else if (!addRareLeaf(node, leaves)) forEachChild(node, visit)
  }
  visit(script)
  return isSupported ? leaves : undefined
}

/** Adds the tokens of a node other than words. Returns whether the node is a token itself, so that it has no children to visit. */
function addRareLeaf(node: SyntaxNode, leaves: Leaves): boolean {
  switch (node.type) {
    case 'HereDoc':
      leaves.hereDocuments ??= new Map()
      if (node.delimiter !== undefined) leaves.hereDocuments.set(node.delimiter.pos, node)
      return true
    case 'FileDescriptor':
      leaves.descriptors ??= new Set()
      leaves.descriptors.add(node.pos)
      return true
    case 'ArithmeticCommand':
      leaves.arithmetic ??= new Map()
      leaves.arithmetic.set(node.pos, node.end)
      return true
    case 'TestBinary':
      leaves.regularExpressions ??= new Set()
      if (node.operator === '=~') leaves.regularExpressions.add(node.right.pos)
      return false
    case 'CaseItem':
      leaves.patternStarts ??= new Set()
      leaves.patternEnds ??= new Set()
      for (const pattern of node.pattern.slice(0, 1)) leaves.patternStarts.add(pattern.pos)
      for (const pattern of node.pattern.slice(-1)) leaves.patternEnds.add(pattern.end)
      return false
    default:
      return false
  }
}

/**
 * Whether the node is in the agreed subset. The name of a command must neither be reserved nor look like an assignment,
 * because bash would read it as such.
 */
function isNodeSupported(node: SyntaxNode): boolean {
  if (node.type === 'FileDescriptorVariable') return false
  const name = node.type === 'Command' ? node.name?.text : undefined
  return name === undefined || !(RESERVED_WORDS.has(name) || ASSIGNMENT_LIKE_TEXT.test(name))
}
