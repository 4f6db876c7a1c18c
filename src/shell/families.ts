import type { CommandSpec } from './command-spec.js'
import { archives } from './families/archives.js'
import { builtins } from './families/builtins.js'
import { containers } from './families/containers.js'
import { coreutils } from './families/coreutils.js'
import { fileChanges } from './families/file-changes.js'
import { files } from './families/files.js'
import { git } from './families/git.js'
import { interpreters } from './families/interpreters.js'
import { network } from './families/network.js'
import { packages } from './families/packages.js'
import { search } from './families/search.js'
import { system } from './families/system.js'
import { text } from './families/text.js'
import { tools } from './families/tools.js'
import { wrappers } from './families/wrappers.js'

/** Every table. A program stands in one of them, or nothing is known of it. */
export const FAMILIES: readonly (readonly CommandSpec[])[] = [
  coreutils,
  git,
  archives,
  containers,
  interpreters,
  network,
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
  FAMILIES.flatMap((family) => family.flatMap((spec) => spec.names.split(' ').map((name) => [name, spec] as const))),
)

export function findSpec(program: string): CommandSpec | undefined {
  return specs.get(program)
}
