import { ENVIRONMENT_FLAGS, type Environment, RUNTIME_FLAGS, readSwitch, type VariableFlag } from '../contract/flags.js'
import { quote } from '../shared/quote.js'

/** Reads the flags from the platform and the environment variables. Invalid values are reported and ignored. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  platform: string,
): { environment: Environment; warnings: readonly string[] } {
  const rows: [string, VariableFlag][] = Object.entries({ ...ENVIRONMENT_FLAGS, ...RUNTIME_FLAGS })
  const flags: Record<string, boolean> = {}
  const warnings: string[] = []
  for (const [name, row] of rows) {
    const written = variables[name]?.trim().toLowerCase()
    const value = written === undefined || written === '' ? undefined : readValue(row, written)
    if (value === undefined && written)
      warnings.push(`Ignoring invalid value ${name}=${quote(written)}; use ${row.acceptedValues ?? '1 or 0'}.`)
    flags[name] = value ?? defaultOf(row, flags, platform)
  }
  return { environment: Object.freeze(flags) as Environment, warnings }
}

function readValue(row: VariableFlag, written: string): boolean | undefined {
  return readSwitch(written) ?? row.read?.(written)
}

/** A flag can take its default only from flags above it in the table. */
function defaultOf(row: VariableFlag, earlier: Readonly<Record<string, boolean>>, platform: string): boolean {
  if (row.defaultFrom === undefined) return row.default
  return 'platform' in row.defaultFrom ? row.defaultFrom.platform === platform : earlier[row.defaultFrom.flag] === true
}
