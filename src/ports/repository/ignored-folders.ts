import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { RecordedFiles } from './recorded-files.js'

const MAX_BYTES = 64 * 1024
/** A pattern without wildcards. With a slash at the start, it applies only to the folder that contains the file. */
const NAME_PATTERN = /^(\*\*\/|\/)?([\w.@+-]+)\/?$/

/** The names of ignored folders: directly in a folder, and everywhere below it. */
export interface IgnoredFolders {
  readonly inFolder: ReadonlySet<string>
  readonly inTree: ReadonlySet<string>
}

/**
 * Returns the folders in a folder that git ignores by plain patterns such as `node_modules/`. Other patterns are not
 * understood, so fewer folders may be returned than git ignores, but never more.
 */
export function listIgnoredFolders(
  files: RecordedFiles,
  folder: string,
  entries: readonly Dirent[],
  inheritedNames: ReadonlySet<string>,
): IgnoredFolders {
  const file = join(folder, '.gitignore')
  if (!entries.some(({ name }) => name === '.gitignore')) return { inFolder: inheritedNames, inTree: inheritedNames }
  const text = files.readTextNow(file, MAX_BYTES)
  if (text === undefined) return { inFolder: new Set(), inTree: new Set() }
  const lines = text.split('\n')
  const exceptions = lines.filter((line) => line.startsWith('!'))
  const isCertain = (name: string) => !exceptions.some((exception) => mayMatch(exception.slice(1), name))
  const inTree = new Set([...inheritedNames].filter(isCertain))
  const inFolder = new Set(inTree)
  for (const line of lines) {
    const [, prefix, name] = NAME_PATTERN.exec(line) ?? []
    if (name === undefined || !isCertain(name)) continue
    inFolder.add(name)
    if (prefix !== '/') inTree.add(name)
  }
  return { inFolder, inTree }
}

/** Whether a pattern may match a name: all texts between its wildcards are in the name. */
function mayMatch(pattern: string, name: string): boolean {
  const lastName = pattern.trim().replace(/\/$/, '').split('/').at(-1) ?? ''
  return /[[\\]/.test(lastName) || lastName.split(/[*?]/).every((text) => name.includes(text))
}
