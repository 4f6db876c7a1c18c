import type { CommandUsage, Role } from './command-spec.js'

/** What is known of one option. */
export interface OptionMeaning {
  readonly value: 'none' | 'required' | 'attached'
  readonly role: Role
  readonly isRefused: boolean
  /** Refused because it runs something. */
  readonly runs: boolean
}

export interface OptionTable {
  readonly options: ReadonlyMap<string, OptionMeaning>
  /** Long options, for abbreviations. */
  readonly long: readonly string[]
}

const tables = new WeakMap<CommandUsage, OptionTable>()

/** The options of a usage by their name, built once. */
export function optionTable(usage: CommandUsage): OptionTable {
  const known = tables.get(usage)
  if (known !== undefined) return known
  const table = build(usage)
  tables.set(usage, table)
  return table
}

function build({ options: groups = {} }: CommandUsage): OptionTable {
  const options = new Map<string, OptionMeaning>()
  const add = (names: string | undefined, meaning: OptionMeaning) => {
    for (const name of splitNames(names)) options.set(name, meaning)
  }
  add(groups.flags, { value: 'none', role: 'text', isRefused: false, runs: false })
  add(groups.values, { value: 'required', role: 'text', isRefused: false, runs: false })
  add(groups.attached, { value: 'attached', role: 'text', isRefused: false, runs: false })
  for (const [role, names] of Object.entries(groups.attachedRoles ?? {})) {
    add(names, { value: 'attached', role: role as Role, isRefused: false, runs: false })
  }
  for (const [role, names] of Object.entries(groups.roles ?? {})) {
    add(names, { value: 'required', role: role as Role, isRefused: false, runs: false })
  }
  add(groups.refused, { value: 'none', role: 'text', isRefused: true, runs: false })
  add(groups.runs, { value: 'none', role: 'text', isRefused: true, runs: true })
  return { options, long: [...options.keys()].filter((name) => name.startsWith('--')) }
}

export function splitNames(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(' ').filter((name) => name !== '')
}
