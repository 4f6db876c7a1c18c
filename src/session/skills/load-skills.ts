import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skill } from '../../contract/tool/context.js'
import type { FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { codeOf } from '../../settings/files/read-text-file.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { toPrintable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import { readSkill } from './read-skill.js'
import { findSkillRoots, type SkillLocations, type SkillRoot } from './skill-roots.js'

/** Prevents a slow start if a skills folder contains many other folders. */
const MAX_SKILLS_PER_FOLDER = 500

/** Where `loadSkills` looks for skills, and how it reports problems. */
export interface SkillOptions extends SkillLocations {
  /** Returns the rule that forbids reading a file without approval. The content is sent to the model without a call. */
  readonly findRestriction?: FindReadRestriction
  /** Called with one line for each skill that cannot be loaded. The others are loaded. */
  readonly onProblem?: (problem: string) => void
}

/** Loads the skills of user, project and plugins, sorted by name. Reads only the head of each file. */
export async function loadSkills(options: SkillOptions): Promise<readonly Skill[]> {
  const roots = await findSkillRoots(options)
  const skillsByRoot = await Promise.all(roots.map((root) => readSkillsIn(root, options)))
  const skillsByName = new Map<string, Skill>()
  for (const skill of skillsByRoot.flat()) if (!skillsByName.has(skill.name)) skillsByName.set(skill.name, skill)
  return [...skillsByName.values()].sort((a, b) => compareCodeUnits(a.name, b.name))
}

async function readSkillsIn(
  root: SkillRoot,
  { onProblem = () => {}, findRestriction }: SkillOptions,
): Promise<readonly Skill[]> {
  const report = (path: string, reason: string) => onProblem(toPrintable(`Skills: ${path} ${reason}.`))
  const names = await listFolders(root.path).catch((error: unknown) => {
    report(root.path, `cannot be read (${codeOf(error)})`)
    return []
  })
  if (names.length > MAX_SKILLS_PER_FOLDER)
    report(root.path, `has more than ${MAX_SKILLS_PER_FOLDER} folders; the others are ignored`)
  const skills = names.slice(0, MAX_SKILLS_PER_FOLDER).map(async (name) => {
    const folder = join(root.path, name)
    try {
      return await readSkill(folder, root, findRestriction)
    } catch (error) {
      report(join(folder, 'SKILL.md'), reasonOf(error))
      return undefined
    }
  })
  return (await Promise.all(skills)).filter((skill) => skill !== undefined)
}

/** Returns the names of folders and symbolic links, sorted, except hidden ones. */
async function listFolders(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    return folders
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('.'))
      .sort(compareCodeUnits)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
