import type { Redirection } from 'unbash'
import { SINK_PATHS } from '../programs/apply-role.js'
import type { TouchedWord } from '../programs/effects.js'
import { type ExpansionListener, expandHereDocument, expandValue, expandWord } from '../words/expand-word.js'
import type { Scope } from '../words/scope.js'
import { isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'

/** The effects of the redirections of a command. */
export interface Redirections {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  readonly problems: readonly string[]
  readonly network: boolean
  /** The text of a here-document or here-string; undefined if there is none. */
  readonly input: ShellWord | undefined
  /** Whether the standard input may no longer be that of the enclosing pipeline, for example because of `<&3`. */
  readonly replacesInput: boolean
  /** Whether the standard input may be a file, a here-document or another descriptor. */
  readonly hasInput: boolean
}

const NO_REDIRECTIONS: Redirections = {
  reads: [],
  writes: [],
  problems: [],
  network: false,
  input: undefined,
  replacesInput: false,
  hasInput: false,
}

interface RedirectionsDraft extends Redirections {
  readonly reads: TouchedWord[]
  readonly writes: TouchedWord[]
  readonly problems: string[]
  network: boolean
  input: ShellWord | undefined
}

/** Analyses the redirections of a command and reports substitutions in their words to the listener. */
export function analyseRedirections(
  redirections: readonly Redirection[],
  scope: Scope,
  listener: ExpansionListener,
): Redirections {
  if (redirections.length === 0) return NO_REDIRECTIONS
  const replacesInput = redirections.some(mayReplaceInput)
  const hasInput = redirections.some(mayBeInput)
  const draft: RedirectionsDraft = {
    reads: [],
    writes: [],
    problems: [],
    network: false,
    input: undefined,
    replacesInput,
    hasInput,
  }
  for (const redirection of redirections) analyseRedirection(draft, redirection, scope, listener)
  return draft
}

/** Whether a redirection may replace the standard input. `>` does so only with descriptor 0. */
function mayReplaceInput({ operator, descriptor }: Redirection): boolean {
  return (
    operator.startsWith('<') ||
    (descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value > 0))
  )
}

/** Whether a program may read the file or descriptor. `<&-` and `< /dev/null` have no content. */
function mayBeInput(redirection: Redirection): boolean {
  if (!mayReplaceInput(redirection)) return false
  const target = redirection.type === 'HereDoc' ? undefined : redirection.target?.text
  return target !== '-' && target !== '/dev/null'
}

/** Returns the redirections that an inner command inherits from the command that runs it. */
export function toInheritedRedirections({ input, replacesInput, hasInput }: Redirections): Redirections {
  return hasInput ? { ...NO_REDIRECTIONS, input, replacesInput, hasInput } : NO_REDIRECTIONS
}

function analyseRedirection(
  draft: RedirectionsDraft,
  redirection: Redirection,
  scope: Scope,
  listener: ExpansionListener,
): void {
  if (redirection.descriptor?.type === 'FileDescriptorVariable')
    draft.problems.push('sets a variable to a file descriptor')
  if (redirection.type === 'HereDoc') {
    const { body, delimiter } = redirection
    const isLiteral = delimiter?.quoted === true
    const input = isLiteral ? toKnownWord(body.text) : expandHereDocument(body, scope, listener)
    draft.input = redirection.operator === '<<-' ? withoutTabs(input) : input
    return
  }
  const { target } = redirection
  if (target === undefined) {
    draft.problems.push('redirects without a target')
    return
  }
  if (redirection.type === 'HereString') draft.input = expandValue(target, scope, listener)
  else analyseFile(draft, redirection.operator, expandWord(target, scope, listener))
}

/** Removes the tabs at the start of each line, as `<<-` does. */
function withoutTabs(input: ShellWord): ShellWord {
  return isKnown(input) ? toKnownWord(input.text.replace(/^\t+/gm, '')) : input
}

function analyseFile(draft: RedirectionsDraft, operator: string, word: ShellWord): void {
  const isCopy = operator === '<&' || operator === '>&'
  // Bash itself uses descriptors with two digits, and Haft uses one of them to report the working folder.
  if (isCopy && isKnown(word) && /^(?:\d-?|-)$/.test(word.text)) return
  if (
    [word.text, ...(word.alternatives ?? [])].some((text) => NETWORK_FILE.test(text)) ||
    (!isKnown(word) && /^\/(?:$|d)/.test(word.text.slice(0, 2)) && word.spread !== 'one')
  ) {
    draft.network = true
    draft.problems.push('connects to the network')
    return
  }
  if (operator === '<') {
    draft.reads.push({ word, isTree: false })
    if (!isSafeSource(word)) draft.problems.push('reads a file that is known only at run time')
    return
  }
  if (word.isPipe === true || (isKnown(word) && SINK_PATHS.has(word.text))) return
  if (operator === '<>') draft.reads.push({ word, isTree: false })
  draft.writes.push({ word, isTree: false })
  draft.problems.push('writes files')
}

const NETWORK_FILE = /^\/dev\/(?:tcp|udp)\//

/** Whether the name cannot be a `/dev/tcp` path, with which bash opens a connection. */
function isSafeSource(word: ShellWord): boolean {
  if (isKnown(word) || word.isPipe === true || word.alternatives !== undefined) return true
  if (word.searchRoots !== undefined)
    return word.searchRoots.every((root) => isKnown(root) && !root.text.startsWith('/'))
  return (
    word.knownLength > 0 &&
    !'/dev/tcp/'.startsWith(word.text.slice(0, word.knownLength)) &&
    !word.text.startsWith('/dev/')
  )
}
