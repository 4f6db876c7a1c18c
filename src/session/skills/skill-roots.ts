import { join } from 'node:path'
import { resolveLinks } from '../../settings/files/resolve-real-path.js'

export interface SkillLocations {
  readonly projectRoot: string
  readonly home: string
  /** Whether the user trusts the project. Its skills are not read otherwise. */
  readonly isTrusted: boolean
  /** Further folders with skills, such as those of plugins. */
  readonly extraFolders?: readonly string[]
}

/** A folder whose subfolders may be skills. */
export interface SkillRoot {
  readonly path: string
  /** The folder that the real paths of its skills must be in. No limit if left out. */
  readonly boundary?: string
}

/** Returns the folders to search, highest precedence first. If the project is the home folder, its skills are the user's. */
export async function findSkillRoots(locations: SkillLocations): Promise<readonly SkillRoot[]> {
  const { projectRoot, home, isTrusted, extraFolders = [] } = locations
  const [realProjectRoot, realHome] = await Promise.all([resolveLinks(projectRoot), resolveLinks(home)])
  const projectFolders = isTrusted && realProjectRoot !== realHome ? listSkillFolders(projectRoot) : []
  return [
    // Trust in a project does not cover files outside it that a symbolic link refers to.
    ...projectFolders.map((path) => ({ path, boundary: realProjectRoot })),
    ...[...listSkillFolders(home), ...extraFolders].map((path) => ({ path })),
  ]
}

function listSkillFolders(folder: string): readonly string[] {
  return [join(folder, '.haft', 'skills'), join(folder, '.claude', 'skills')]
}
