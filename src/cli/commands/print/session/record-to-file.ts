import { appendFileSync, openSync } from 'node:fs'
import type { Model } from '../../../../contract/model/model.js'
import { recordModel } from '../../../../providers/recorded/recorded-model.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { UsageError } from '../../../io/exit.js'

/** The same model; what it says goes to a new file, from which `replay:` says it again. */
export function recordToFile(model: Model, path: string, onProblem: (problem: string) => void): Model {
  const file = openNew(path)
  let isBroken = false
  return recordModel(model, (line) => {
    if (isBroken) return
    try {
      appendFileSync(file, line)
    } catch (error) {
      // A full disk ends the recording and not the work.
      isBroken = true
      onProblem(`The recording is not whole: ${reasonOf(error)}`)
    }
  })
}

/** Never over another file: it might be the recording that is being replayed. Only for the user: answers hold what was read. */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const why = exists ? `${path} exists already; name a new file.` : reasonOf(error)
    throw new UsageError(`--record: ${why}`, { cause: error })
  }
}
