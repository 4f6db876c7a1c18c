import { type ParseArgsConfig, parseArgs } from 'node:util'
import { asUsageError } from '../io/exit.js'

/** Calls `parseArgs`. Its errors become `UsageError`s. */
export function parseOptions<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    error.message = error.message.replace(/\.? To specify a positional.*$/s, '.')
    throw asUsageError(error)
  }
}
