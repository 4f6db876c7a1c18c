import {
  ENVIRONMENT_FLAGS,
  type Environment,
  parseSwitch,
  RUNTIME_FLAGS,
  UNREAD_VARIABLES,
  type VariableFlag,
} from '../contract/flags.js'
import { quote } from '../shared/quote.js'

const FLAG_ROWS: readonly (readonly [string, VariableFlag])[] = Object.entries({
  ...ENVIRONMENT_FLAGS,
  ...RUNTIME_FLAGS,
})

/** Reads the flags from the platform and the environment variables. Invalid values are reported and ignored. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  platform: string,
): { environment: Environment; warnings: readonly string[] } {
  const flags: Record<string, boolean> = {}
  const warnings: string[] = []
  for (const [name, row] of FLAG_ROWS) {
    // Most flags are not set, and reading a missing name of `process.env` takes twice as long as this check.
    const text = (readText(variables, name) || readText(variables, row.foreignVariable)) ?? ''
    const value = text === '' ? undefined : readValue(row, text)
    if (value === undefined && text)
      warnings.push(`Ignoring invalid value ${name}=${quote(text)}; use ${row.acceptedValues ?? '1 or 0'}.`)
    flags[name] = value ?? defaultOf(row, flags, platform)
  }
  for (const [name, advice] of Object.entries(UNREAD_VARIABLES))
    if (readText(variables, name)) warnings.push(`Haft does not read ${name}. ${advice}`)
  return { environment: Object.freeze(flags) as Environment, warnings }
}

function readText(
  variables: Readonly<Record<string, string | undefined>>,
  name: string | undefined,
): string | undefined {
  return name !== undefined && name in variables ? variables[name]?.trim().toLowerCase() : undefined
}

function readValue(row: VariableFlag, text: string): boolean | undefined {
  return parseSwitch(text) ?? row.read?.(text)
}

/** Returns the default of a flag. A flag can take its default only from flags above it in the table. */
function defaultOf(row: VariableFlag, earlierFlags: Readonly<Record<string, boolean>>, platform: string): boolean {
  if (row.defaultFrom === undefined) return row.default
  return 'platform' in row.defaultFrom
    ? row.defaultFrom.platform === platform
    : earlierFlags[row.defaultFrom.flag] === true
}
