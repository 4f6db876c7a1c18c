import type { CallEffects, Classifier, ClassifierAnswer } from './classifier.js'
import { hostileReason } from './hostile-commands.js'

/** Auto mode without a model: allows what is known to stay inside, denies what is plainly hostile, else has no opinion. */
export const localClassifier: Classifier = {
  classify: ({ effects }) => classifyLocally(effects),
}

function classifyLocally(effects: CallEffects): ClassifierAnswer {
  const hostile = hostileReason(effects.commands ?? [])
  if (hostile !== undefined) return { verdict: 'deny', reason: hostile }
  if (effects.network) return { verdict: 'none', reason: 'it may reach the network' }
  if (!effects.isInside) return { verdict: 'none', reason: 'it reaches beyond the working directories' }
  if (effects.isReadOnly && effects.areEffectsKnown)
    return { verdict: 'allow', reason: 'it only reads, inside the working directories' }
  if (effects.isFileEdit) return { verdict: 'allow', reason: 'it only edits files inside the working directories' }
  if (effects.commands !== undefined && effects.areEffectsKnown) {
    return { verdict: 'allow', reason: 'all it does is known and stays inside the working directories' }
  }
  return { verdict: 'none', reason: 'not all that it does is known' }
}
