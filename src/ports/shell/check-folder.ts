import { statSync } from 'node:fs'
import { ToolCallError } from '../../contract/errors.js'
import { quote } from '../../shared/quote.js'

/** A command in a folder that is not there would fail as if its shell were missing. */
export function checkFolder(path: string): void {
  const problem = problemOf(path)
  if (problem !== undefined) throw new ToolCallError('tool_failed', `The working folder ${quote(path)} ${problem}.`)
}

function problemOf(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'is no folder'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'does not exist' : `cannot be reached (${code})`
  }
}
