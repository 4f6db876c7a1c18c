import type { CommandSpec } from '../programs/command-spec.js'
import { createArchiveSpecs } from './archives.js'
import { createBuiltinSpecs } from './builtins.js'
import { createContainerSpecs } from './containers.js'
import { createCoreutilSpecs } from './coreutils.js'
import { createFileChangeSpecs } from './file-changes.js'
import { createFileSpecs } from './files.js'
import { createGitSpecs } from './git.js'
import { createInterpreterSpecs } from './interpreters.js'
import { createNetworkSpecs } from './network.js'
import { createOpaqueSpecs } from './opaque.js'
import { createPackageSpecs } from './packages.js'
import { createSearchSpecs } from './search.js'
import { createSystemSpecs } from './system.js'
import { createTextSpecs } from './text.js'
import { createToolSpecs } from './tools.js'
import { createWrapperSpecs } from './wrappers.js'

/**
 * The functions that create the tables of each family, often used families first; `system` includes `inspection.ts`,
 * `machine.ts` and `processes.ts`. The effects of a program that is in no table are unknown.
 */
const FAMILY_CREATORS: readonly (() => readonly CommandSpec[])[] = [
  createCoreutilSpecs,
  createGitSpecs,
  createFileSpecs,
  createTextSpecs,
  createSearchSpecs,
  createBuiltinSpecs,
  createFileChangeSpecs,
  createWrapperSpecs,
  createPackageSpecs,
  createInterpreterSpecs,
  createToolSpecs,
  createArchiveSpecs,
  createContainerSpecs,
  createNetworkSpecs,
  createOpaqueSpecs,
  createSystemSpecs,
]

const specsByName = new Map<string, CommandSpec>()
let readFamilyCount = 0

/** Finds the table of a program. Families are created only until one lists the program: creating all takes milliseconds. */
export function findSpec(program: string): CommandSpec | undefined {
  while (!specsByName.has(program) && readFamilyCount < FAMILY_CREATORS.length) {
    for (const spec of FAMILY_CREATORS[readFamilyCount++]?.() ?? [])
      for (const name of spec.names.split(' ')) specsByName.set(name, spec)
  }
  return specsByName.get(program)
}

/** Creates all tables, grouped by family. */
export function createAllSpecs(): readonly (readonly CommandSpec[])[] {
  return FAMILY_CREATORS.map((createSpecs) => createSpecs())
}
