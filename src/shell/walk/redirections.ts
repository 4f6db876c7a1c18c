import type { Redirection } from 'unbash'
import { SINKS } from '../programs/apply-role.js'
import type { TouchedWord } from '../programs/effects.js'
import { expandWord, type Findings } from '../words/expand-word.js'
import type { Scope } from '../words/scope.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'

/** What the redirections of a command do. */
export interface Redirections {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  readonly problems: readonly string[]
  readonly network: boolean
  /** The text that a here-document or here-string gives as input, where there is one and it is known. */
  readonly input: ShellWord | undefined
}

interface Draft {
  readonly reads: TouchedWord[]
  readonly writes: TouchedWord[]
  readonly problems: string[]
  network: boolean
  input: ShellWord | undefined
}

/** Looks at the redirections of a command, and reports what runs in their words. */
export function findRedirections(redirections: readonly Redirection[], scope: Scope, findings: Findings): Redirections {
  const draft: Draft = { reads: [], writes: [], problems: [], network: false, input: undefined }
  for (const each of redirections) take(draft, each, scope, findings)
  return draft
}

function take(draft: Draft, redirection: Redirection, scope: Scope, findings: Findings): void {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') draft.problems.push('a variable for a descriptor')
  if (redirection.type === 'HereDoc') {
    const { body, delimiter } = redirection
    const isLiteral = delimiter?.quoted === true || body.parts === undefined
    for (const part of body.parts ?? []) {
      // Here a single quote quotes nothing.
      const isUnclear = part.type === 'ParameterExpansion' && part.text.includes("'")
      if (isUnclear) findings.problem('a quote that is none')
      expandWord({ type: 'Word', text: '', value: '', pos: 0, end: 0, parts: [part] }, scope, findings)
    }
    draft.input = { text: body.text, known: isLiteral ? body.text.length : 0, spread: 'one' }
    return
  }
  const { target } = redirection
  if (target === undefined) {
    draft.problems.push('a redirection without a target')
    return
  }
  const word = expandWord(target, scope, findings)
  if (redirection.type === 'HereString') draft.input = word
  else takeFile(draft, redirection.operator, word)
}

function takeFile(draft: Draft, operator: string, word: ShellWord): void {
  const isCopy = operator === '<&' || operator === '>&'
  if (isCopy && isKnown(word) && /^(?:\d{1,3}-?|-)$/.test(word.text)) return
  if (
    [word.text, ...(word.alternatives ?? [])].some((text) => NETWORK.test(text)) ||
    (!isKnown(word) && /^\/(?:$|d)/.test(word.text.slice(0, 2)) && word.spread !== 'one')
  ) {
    draft.network = true
    draft.problems.push('connects to the network')
    return
  }
  if (operator === '<') {
    draft.reads.push({ word, isTree: false })
    if (!isSafeSource(word)) draft.problems.push('a file that is not known before it runs')
    return
  }
  if (word.isPipe === true || (isKnown(word) && SINKS.has(word.text))) return
  draft.writes.push({ word, isTree: false })
  draft.problems.push('writes files')
}

const NETWORK = /^\/dev\/(?:tcp|udp)\//

/** A name that is not known could be one by which bash connects. */
function isSafeSource(word: ShellWord): boolean {
  if (isKnown(word) || word.isPipe === true || word.alternatives !== undefined) return true
  return word.known > 0 && !'/dev/tcp/'.startsWith(word.text.slice(0, word.known)) && !word.text.startsWith('/dev/')
}
