import type { ReadRepositories } from '../../calls/call-environment.js'
import type { RepositoryProbe } from '../../ports/repository/create-repository-probe.js'

/** Reads facts about git repositories from their files; no program is run. The reader is loaded with the first repository. */
export function createRepositoryReader(environment: Readonly<Record<string, string | undefined>>): ReadRepositories {
  let loadedProbe: Promise<RepositoryProbe> | undefined
  const loadProbe = async () => {
    const { createRepositoryProbe } = await import('../../ports/repository/create-repository-probe.js')
    return createRepositoryProbe(environment)
  }
  return async (folders) => {
    loadedProbe ??= loadProbe()
    const probe = await loadedProbe
    return new Map(await Promise.all(folders.map(async (folder) => [folder, await probe.facts(folder)] as const)))
  }
}
