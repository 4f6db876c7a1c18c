import type { Redirection } from 'unbash'
import { SINKS } from '../programs/apply-role.js'
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
  /** The text of a here-document or here-string, if there is one. */
  readonly input: ShellWord | undefined
  /** The standard input is no longer that of the enclosing pipeline, for example because of `<&3`. */
  readonly replacesInput: boolean
}

interface Draft {
  readonly reads: TouchedWord[]
  readonly writes: TouchedWord[]
  readonly problems: string[]
  network: boolean
  input: ShellWord | undefined
}

/** Analyses the redirections of a command, and reports substitutions in their words to the listener. */
export function analyseRedirections(
  redirections: readonly Redirection[],
  scope: Scope,
  listener: ExpansionListener,
): Redirections {
  const draft: Draft = { reads: [], writes: [], problems: [], network: false, input: undefined }
  for (const redirection of redirections) analyseRedirection(draft, redirection, scope, listener)
  return { ...draft, replacesInput: redirections.some(mayReplaceInput) }
}

/** Output to another descriptor than 0 leaves the input alone. */
function mayReplaceInput({ operator, descriptor }: Redirection): boolean {
  return (
    operator.startsWith('<') ||
    (descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value > 0))
  )
}

function analyseRedirection(draft: Draft, redirection: Redirection, scope: Scope, listener: ExpansionListener): void {
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

/** `<<-` removes the tabs at the start of each line. */
function withoutTabs(input: ShellWord): ShellWord {
  return isKnown(input) ? toKnownWord(input.text.replace(/^\t+/gm, '')) : input
}

function analyseFile(draft: Draft, operator: string, word: ShellWord): void {
  const isCopy = operator === '<&' || operator === '>&'
  if (isCopy && isKnown(word) && /^(?:\d{1,3}-?|-)$/.test(word.text)) return
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
  if (word.isPipe === true || (isKnown(word) && SINKS.has(word.text))) return
  draft.writes.push({ word, isTree: false })
  draft.problems.push('writes files')
}

const NETWORK_FILE = /^\/dev\/(?:tcp|udp)\//

/** Whether the name cannot be a `/dev/tcp` path, by which bash opens connections. */
function isSafeSource(word: ShellWord): boolean {
  if (isKnown(word) || word.isPipe === true || word.alternatives !== undefined) return true
  if (word.below !== undefined) return word.below.every((each) => isKnown(each) && !each.text.startsWith('/'))
  return (
    word.knownLength > 0 &&
    !'/dev/tcp/'.startsWith(word.text.slice(0, word.knownLength)) &&
    !word.text.startsWith('/dev/')
  )
}
