import type { CommandSpec } from './command-spec.js'
import { coreutils } from './families/coreutils.js'
import { git } from './families/git.js'

/** Every table. A program stands in one of them, or nothing is known of it. */
export const FAMILIES: readonly (readonly CommandSpec[])[] = [coreutils, git]

const specs = new Map<string, CommandSpec>(
  FAMILIES.flatMap((family) => family.flatMap((spec) => spec.names.split(' ').map((name) => [name, spec] as const))),
)

export function findSpec(program: string): CommandSpec | undefined {
  return specs.get(program)
}
