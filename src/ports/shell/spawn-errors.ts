import { statSync } from 'node:fs'
import { ToolCallError } from '../../contract/errors.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'

/** Throws if the working directory cannot be used. Node would report the shell as missing instead. */
export function checkFolder(path: string): void {
  const problem = findFolderProblem(path)
  if (problem !== undefined) throw new ToolCallError('tool_failed', `The working directory ${quote(path)} ${problem}.`)
}

function findFolderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'is not a folder'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'does not exist' : `cannot be accessed (${code})`
  }
}

/** Distinguishes a program that is not installed from other failures. */
export function toSpawnError(program: string, error: unknown): ToolCallError {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    return new ToolCallError('unavailable', `${program} is not installed or not on PATH.`, { cause: error })
  }
  return new ToolCallError('tool_failed', `${program} could not be started: ${reasonOf(error)}`, { cause: error })
}
