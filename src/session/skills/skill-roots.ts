import { join } from 'node:path'
import { realPath } from '../../settings/files/real-path.js'

export interface SkillPlaces {
  readonly projectRoot: string
  readonly home: string
  /** Whether a person trusts the project: until then its skills are not even looked at. */
  readonly isTrusted: boolean
  /** Further folders with skills, such as those of plugins. */
  readonly extraFolders?: readonly string[]
}

/** A folder of which each folder may be a skill. */
export interface SkillRoot {
  readonly path: string
  /** What its skills must lie in, links resolved; anywhere if left out. */
  readonly mustLieIn?: string
}

/** Where skills are looked for, the place that wins first. In home there is no project: its skills are the user's. */
export async function skillRoots(places: SkillPlaces): Promise<readonly SkillRoot[]> {
  const { projectRoot, home, isTrusted, extraFolders = [] } = places
  const [project, user] = await Promise.all([realPath(projectRoot), realPath(home)])
  const ofProject = isTrusted && project !== user ? foldersIn(projectRoot) : []
  return [
    // What a project brings is trusted with the project; a link out of it leads to what nobody has looked at.
    ...ofProject.map((path) => ({ path, mustLieIn: project })),
    ...[...foldersIn(home), ...extraFolders].map((path) => ({ path })),
  ]
}

function foldersIn(folder: string): readonly string[] {
  return [join(folder, '.haft', 'skills'), join(folder, '.claude', 'skills')]
}
