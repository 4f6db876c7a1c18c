import type { EffectsDraft } from '../effects.js'
import type { ShellWord } from '../shell-word.js'

/** Judges the words behind a program whose grammar no table can tell. */
export type Checker = (words: readonly ShellWord[], draft: EffectsDraft) => void
