import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Says whether a program can be started by its name, by looking where the system would. */
export function programFinder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): (program: string) => boolean {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  return (program) => folders.some((folder) => endings.some((ending) => isProgram(join(folder, program + ending))))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not in this folder, or not for us.
    return false
  }
}
