import { isKnown, knownPart, type ShellWord } from '../words/shell-word.js'
import type { Role } from './command-spec.js'
import type { EffectsDraft } from './effects.js'
import { checkAwk } from './scripts/check-awk.js'
import { checkSed } from './scripts/check-sed.js'

/** Adds what it means that a word has a role; for a command that are all the words from there on. */
export function applyRole(role: Role, words: readonly ShellWord[], draft: EffectsDraft, isTransparent: boolean): void {
  const [word] = words
  if (word === undefined) return
  switch (role) {
    case 'text':
      return
    case 'assignments':
      draft.assignments.push(word)
      return
    case 'archive':
      if (!isKnown(word) || word.text.includes(':')) draft.refuse(`the archive ${word.text}`)
      if (word.text !== '-') draft.reads.push({ word, isTree: false })
      return
    case 'reads':
    case 'tree':
      if (word.text !== '-') draft.reads.push({ word, isTree: role === 'tree' })
      return
    case 'viewed':
    case 'opened':
    case 'local':
      addFile(role, word, draft)
      return
    case 'writes':
    case 'deletes':
      addWrite(word, role === 'deletes', draft)
      return
    case 'format':
    case 'name':
    case 'identifier':
    case 'mode':
    case 'number':
    case 'setting':
    case 'parameter':
    case 'here':
    case 'refused':
      if (!hasForm(role, word)) draft.refuse(`the operand ${word.text}`)
      return
    case 'runs':
      draft.refuse(`the value ${word.text}`)
      draft.isUnresolved = true
      return
    case 'command':
      draft.inner.push({ kind: 'command', words, assignments: draft.assignments, isTransparent })
      return
    case 'shell':
      draft.inner.push({ kind: 'script', script: word, isTransparent })
      return
    default:
      addScript(role, word, draft)
      return
  }
}

function addFile(role: 'viewed' | 'opened' | 'local', word: ShellWord, draft: EffectsDraft): void {
  if (role === 'viewed' && isStart(word)) return
  if (!isPlainFile(role, word)) draft.refuse(`the operand ${word.text}`)
  if (role === 'viewed' && word.text.startsWith('+')) draft.isUnresolved = true
  if (word.text !== '-') draft.reads.push({ word, isTree: false })
}

/** Where to start in a file: at a line, or at the end. */
function isStart(word: ShellWord): boolean {
  return isKnown(word) && /^\+(?:\d{1,9}|G)$/.test(word.text)
}

/** Whether what is known of a word makes sure that it names a file, and nothing that some programs take it for. */
function isPlainFile(role: 'viewed' | 'opened' | 'local', word: ShellWord): boolean {
  if (role === 'opened') return ![word.text, ...(word.alternatives ?? [])].some((text) => text.startsWith('/inet'))
  if (role === 'local') return isKnown(word) && !/[,@]/.test(word.text)
  return word.known > 0 && !/^[+@]/.test(word.text)
}

/** Files that take what is written and keep nothing of it. */
export const SINKS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty'])

function addWrite(word: ShellWord, isDeleted: boolean, draft: EffectsDraft): void {
  if (!isDeleted && isKnown(word) && SINKS.has(word.text)) return
  draft.writes.push({ word: withoutSlash(word), isTree: false })
  draft.problems.push(isDeleted ? 'deletes files' : 'writes files')
  draft.addRisk(isDeleted ? 'deletes files' : 'writes files')
}

/** A slash at the end would say that all below is written. */
function withoutSlash(word: ShellWord): ShellWord {
  if (!isKnown(word)) return word
  const text = word.text.replace(/(.)\/{1,64}$/, '$1')
  return { ...word, text, known: text.length }
}

/** What is copied or moved to a folder lies in it under its own name. */
export function addTargets(sources: readonly ShellWord[], target: ShellWord, draft: EffectsDraft): void {
  if (!isKnown(target)) return
  for (const source of sources.filter(isKnown)) {
    const name = withoutSlash(source).text.split('/').at(-1)
    const text = `${withoutSlash(target).text}/${name}`
    draft.writes.push({ word: { ...target, text, known: text.length }, isTree: false })
  }
}

const FORMS = {
  name: /^[^/]*$/,
  number: /^[+-]?\d{1,18}$/,
  identifier: /^[A-Za-z_][A-Za-z0-9_-]*$/,
  mode: /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber)$/,
  setting: /^[^.]+[.]./,
  parameter: /^[A-Za-z0-9_][A-Za-z0-9_./*-]*$/,
  here: /^\.$/,
  refused: /^(?!)/,
}

function hasForm(role: 'format' | keyof typeof FORMS, word: ShellWord): boolean {
  if (role === 'format') return knownPart(word).startsWith('+') && word.spread === 'one'
  return isKnown(word) && FORMS[role].test(word.text)
}

const SCRIPTS = { sed: checkSed, awk: checkAwk }

function addScript(language: keyof typeof SCRIPTS, word: ShellWord, draft: EffectsDraft): void {
  if (!isKnown(word)) {
    draft.refuse(`a ${language} program that is not known before it runs`)
    return
  }
  const { problem, reads } = SCRIPTS[language](word.text)
  if (problem !== undefined) draft.refuse(problem)
  if (problem?.includes('writes a file') === false) draft.isUnresolved = true
  for (const each of reads) draft.reads.push({ word: each, isTree: false })
}
