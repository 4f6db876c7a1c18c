import type { CommandAnalysis } from '../../contract/command.js'
import { type PathResource, SHELL_CWD, type ToolResources } from '../../contract/resources.js'

/** Returns the resources of a command, for scheduling and checkpoints. A command without analysis may touch anything. */
export function resourcesOfCommand(command: CommandAnalysis | undefined): ToolResources {
  if (command === undefined) return { reads: [SHELL_CWD], writes: [SHELL_CWD], network: true, unknown: true }
  const { reads, writes, network, isUnknown, dependsOnHome } = command.resources
  // The home folder is unknown here, so a path below it cannot be resolved.
  const isUnlisted = isUnknown || dependsOnHome || [...reads, ...writes].some((path) => path.startsWith('~'))
  // Without lists, the command counts as reading everything. With `unknown`, it would also count as writing.
  if (command.isReadOnly && isUnlisted) return { network }
  return {
    reads: [SHELL_CWD, ...pathsOf(reads)],
    writes: [...(command.isConcurrencySafe ? [] : [SHELL_CWD]), ...pathsOf(writes)],
    network,
    ...(isUnlisted && { unknown: true }),
  }
}

function pathsOf(paths: readonly string[]): readonly PathResource[] {
  return paths.filter((path) => !path.startsWith('~')).map((path) => ({ path }))
}
