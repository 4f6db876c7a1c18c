import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDERS = [
  { name: '.haft/skills', holds: isSkill },
  { name: '.claude/skills', holds: isSkill },
  { name: '.haft/agents', holds: isAgent },
  { name: '.claude/agents', holds: isAgent },
]

/** Folders with skills and agents of a project that nobody trusts, told in one line; undefined where there are none. */
export async function withheldFolders(projectRoot: string): Promise<string | undefined> {
  const found = await Promise.all(
    FOLDERS.map(async ({ name, holds }) => ((await namesIn(join(projectRoot, name))).some(holds) ? [name] : [])),
  )
  const names = found.flat()
  if (names.length === 0) return undefined
  return `${projectRoot}: ${names.join(', ')} not taken: the project is not trusted (--trust trusts it for this run).`
}

function isSkill(name: string): boolean {
  return !name.startsWith('.')
}

function isAgent(name: string): boolean {
  return /\.md$/i.test(name)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  // Most projects have no such folder.
  return readdir(folder).catch(() => [])
}
