import { type Dirent, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { GIT_REDIRECT, PROTECTED_IN_GIT, PROTECTED_INSIDE, PROTECTED_NAMES } from './protected-names.js'

/** Far enough for the packages of a repository; the search runs before every command and must stay short. */
const MAX_DEPTH = 3
const MAX_FOLDERS = 300

const SKIPPED = new Set(['node_modules', '.pnpm-store', '.venv', 'target', '__pycache__'])

/** Protected files and folders that exist in a folder, near its top. Links are named, and not followed. */
export function findProtected(root: string): readonly string[] {
  const found = gitParts(root)
  let folders = [root]
  let left = MAX_FOLDERS
  for (let depth = 0; depth <= MAX_DEPTH && folders.length > 0; depth++) {
    const next: string[] = []
    for (const folder of folders) {
      if (left-- <= 0) return found
      for (const entry of entries(folder)) look(folder, entry, found, next)
    }
    folders = next
  }
  return found
}

function look(folder: string, entry: Dirent, found: string[], next: string[]): void {
  const path = join(folder, entry.name)
  const inside = PROTECTED_INSIDE.get(entry.name)
  if (PROTECTED_NAMES.has(entry.name)) found.push(path)
  else if (inside !== undefined) found.push(...existing(path, inside))
  else if (entry.name === '.git' && !entry.isDirectory()) found.push(path)
  else if (isGitFolder(entry.name)) found.push(...gitParts(path))
  else if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(path)
}

function isGitFolder(name: string): boolean {
  return name.endsWith('.git')
}

/** Those of a repository, and of the submodules that it keeps. */
function gitParts(folder: string): string[] {
  if (!isGitFolder(basename(folder)) && basename(join(folder, '..')) !== 'modules') return []
  const names = [...PROTECTED_IN_GIT.filter((part) => !part.includes('/')), GIT_REDIRECT]
  const info = existing(join(folder, 'info'), ['attributes'])
  const modules = entries(join(folder, 'modules')).filter((entry) => entry.isDirectory())
  return [
    ...existing(folder, names),
    ...info,
    ...modules.flatMap(({ name }) => gitParts(join(folder, 'modules', name))),
  ]
}

function existing(folder: string, names: readonly string[]): string[] {
  const wanted = new Set(names)
  return entries(folder)
    .filter(({ name }) => wanted.has(name))
    .map(({ name }) => join(folder, name))
}

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // No folder, or one that nobody here can read: a command cannot change what is in it.
    return []
  }
}
