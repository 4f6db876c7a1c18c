import { appendFileSync, openSync } from 'node:fs'
import type { Model } from '../../contract/model/model.js'
import { recordModel } from '../../providers/recorded/recorded-model.js'
import { reasonOf } from '../../shared/reason-of.js'
import { UsageError } from '../io/exit.js'

/** Wraps a model and records its responses in a new file for `replay:`. */
export function recordToFile(model: Model, path: string, onProblem: (problem: string) => void): Model {
  const file = createFile(path)
  let hasFailed = false
  return recordModel(model, (line) => {
    if (hasFailed) return
    try {
      appendFileSync(file, line)
    } catch (error) {
      // A full disk ends the recording, not the session.
      hasFailed = true
      onProblem(`The recording ${path} is incomplete: ${reasonOf(error)}`)
    }
  })
}

/**
 * Creates the file of a recording. Never overwrites a file, which could be the recording being replayed. Private, because
 * responses may quote files.
 */
function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const doesFileExist = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const reason = doesFileExist ? `${path} already exists; name a new file.` : reasonOf(error)
    throw new UsageError(`--record: ${reason}`, { cause: error })
  }
}
