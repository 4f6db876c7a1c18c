import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first of these commands on the search path, as an absolute path. Nothing is run. */
export function findProgram(
  commands: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  platform: string,
): string | undefined {
  const folders = (variables.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  for (const command of commands) {
    for (const folder of folders) {
      const found = endings.map((ending) => join(folder, command + ending)).find(isExecutable)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not there, or not ours to run: either way not found.
    return false
  }
}
