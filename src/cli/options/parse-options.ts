import { type ParseArgsConfig, parseArgs } from 'node:util'
import { asUsageError, UnknownOptionError } from '../io/exit.js'

type OptionTable = NonNullable<ParseArgsConfig['options']>
type ParsedOptions<T extends OptionTable> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>

/** Calls `parseArgs`. Its errors become `UsageError`s. */
export function parseOptions<T extends OptionTable>(args: readonly string[], options: T): ParsedOptions<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    error.message = error.message.replace(/\.? To specify a positional.*$/s, '.')
    const [, unknownName] = /^Unknown option '--([^'=]+)/.exec(error.message) ?? []
    if (unknownName !== undefined) throw new UnknownOptionError(asUsageError(error).message, unknownName, options)
    throw asUsageError(error)
  }
}
