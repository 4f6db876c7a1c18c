import type { ShellWord } from '../../words/shell-word.js'
import type { EffectsDraft } from '../effects.js'

/** Analyses the arguments of a program whose grammar a table cannot describe. */
export type Checker = (words: readonly ShellWord[], draft: EffectsDraft) => void
