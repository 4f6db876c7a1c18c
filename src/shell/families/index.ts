import type { CommandSpec } from '../programs/command-spec.js'
import { archives } from './archives.js'
import { builtins } from './builtins.js'
import { containers } from './containers.js'
import { coreutils } from './coreutils.js'
import { fileChanges } from './file-changes.js'
import { files } from './files.js'
import { git } from './git.js'
import { interpreters } from './interpreters.js'
import { network } from './network.js'
import { opaquePrograms } from './opaque.js'
import { packages } from './packages.js'
import { search } from './search.js'
import { system } from './system.js'
import { text } from './text.js'
import { tools } from './tools.js'
import { wrappers } from './wrappers.js'

/**
 * All tables; `system` includes those of `inspection.ts`, `machine.ts` and `processes.ts`. The effects of a program that is in none of them
 * are unknown.
 */
export const COMMAND_FAMILIES: readonly (readonly CommandSpec[])[] = [
  coreutils,
  git,
  archives,
  containers,
  interpreters,
  network,
  opaquePrograms,
  packages,
  system,
  tools,
  fileChanges,
  files,
  text,
  search,
  builtins,
  wrappers,
]

const specs = new Map<string, CommandSpec>(
  COMMAND_FAMILIES.flatMap((family) =>
    family.flatMap((spec) => spec.names.split(' ').map((name) => [name, spec] as const)),
  ),
)

export function findSpec(program: string): CommandSpec | undefined {
  return specs.get(program)
}
