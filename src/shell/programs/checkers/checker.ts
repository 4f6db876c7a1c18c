import type { ShellWord } from '../../words/shell-word.js'
import type { EffectsDraft } from '../effects.js'

/** Judges the words behind a program whose grammar no table can tell. */
export type Checker = (words: readonly ShellWord[], draft: EffectsDraft) => void
