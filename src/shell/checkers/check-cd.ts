import { isKnown } from '../shell-word.js'
import type { Checker } from './checker.js'

/** `cd` and `pushd`: nothing changes but the folder of what follows. */
export const checkCd: Checker = (words, draft) => {
  const operands = words.filter((word, index) => !(isKnown(word) && /^(?:-[LPe@]+|--)$/.test(word.text) && index < 2))
  const [target] = operands
  if (operands.length > 1) draft.refuse('an operand too many')
  // A name that is not known may also be an option, of which none does harm.
  // With `-P` the way up leads from where a link points to.
  const isPhysical = words.some((word) => isKnown(word) && /^-[Le@]*P/.test(word.text))
  // Without a target, `pushd` goes to the folder before.
  if (target === undefined || isPhysical) draft.folder = 'unknown'
  else draft.folder = isKnown(target) && !/^[-+]/.test(target.text) ? target : 'unknown'
  if (target !== undefined && draft.folder !== 'unknown') draft.reads.push({ word: target, isTree: false })
  if (target !== undefined && !isKnown(target)) draft.isComplete = false
}
