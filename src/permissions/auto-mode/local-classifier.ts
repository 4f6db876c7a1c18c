import type { CallEffects, Classifier, ClassifierAnswer } from './classifier.js'

/**
 * Auto mode without a model. Allows calls whose effects stay inside the working directories, denies hostile commands, and
 * leaves all other calls to the user.
 */
export const localClassifier: Classifier = {
  classify: ({ effects }) => classifyLocally(effects),
}

function classifyLocally(effects: CallEffects): ClassifierAnswer {
  const reason = findHostileReason(effects.commands ?? [])
  if (reason !== undefined) return { verdict: 'deny', reason }
  if (effects.network) return { verdict: 'none', reason: 'it may use the network' }
  if (!effects.isInside) return { verdict: 'none', reason: 'it uses paths outside the working directories' }
  if (effects.isReadOnly && effects.areEffectsKnown)
    return { verdict: 'allow', reason: 'it only reads, inside the working directories' }
  if (effects.isDestructive && !effects.isFileEdit) return { verdict: 'none', reason: 'it may destroy data' }
  if (effects.isFileEdit) return { verdict: 'allow', reason: 'it only edits files inside the working directories' }
  if (effects.commands !== undefined && effects.areEffectsKnown) {
    return { verdict: 'allow', reason: 'all its effects are known and stay inside the working directories' }
  }
  return { verdict: 'none', reason: 'not all of its effects are known' }
}

/** Commands that no user request can justify, matched by their words joined by spaces. */
const HOSTILE_COMMANDS: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /^mkfs(\.\w+)? /, why: 'it formats a disk' },
  { pattern: /^(wipefs|blkdiscard|shred) .*\/dev\//, why: 'it wipes a disk' },
  { pattern: /^dd .*\bof=\/dev\/(sd|hd|vd|nvme|disk|mapper)/, why: 'it overwrites a disk' },
  {
    pattern: /^(chmod|chown) (?=.*-\w*R)(.* )?(\/|~|\/\*)$/,
    why: 'it changes the permissions or the owner of the whole file system',
  },
  {
    pattern: /^(nc|ncat|netcat) (?=.*(-\w*e|-c|--exec|--sh-exec) )/,
    why: 'it gives another machine a shell on this one',
  },
]
/** Matches the root, a system folder, a home folder, or all entries of one of these. */
const WHOLE_TREES = /^(~|\$HOME|\$\{HOME\}|\/(root|etc|usr|var|bin|boot|lib)|\/(home|Users)(\/[^/*]+)?)?\/?\*?$/

/** Returns why a command is hostile. Undefined does not mean that it is harmless. */
export function findHostileReason(commands: readonly (readonly string[])[]): string | undefined {
  for (const words of commands) {
    const text = words.join(' ')
    const match = HOSTILE_COMMANDS.find(({ pattern }) => pattern.test(text))
    if (match !== undefined) return match.why
    if (removesWholeTree(words)) return 'it deletes the whole file system or a home folder'
  }
  return fetchesAndRuns(commands.map((words) => words.join(' ')))
    ? 'it runs code that it fetches from the network'
    : undefined
}

function removesWholeTree([program, ...words]: readonly string[]): boolean {
  const isRecursive = words.some((word) => /^-[a-zA-Z]*[rR]/.test(word) || word === '--recursive')
  return program === 'rm' && isRecursive && words.some((word) => /^[/~$]/.test(word) && WHOLE_TREES.test(word))
}

function fetchesAndRuns(commands: readonly string[]): boolean {
  const hasFetch = commands.some((command) => /^(curl|wget|fetch) /.test(command))
  const runsInput = commands.some((command) =>
    /^(ba|z|k|da)?sh( -s?( .*)?)?$|^(python3?|perl|ruby|node)( -)?$/.test(command),
  )
  return hasFetch && runsInput
}
