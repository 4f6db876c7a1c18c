import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './usage-error.js'

/** `parseArgs` whose complaints are ones for a person. */
export function parseOptions<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.? To specify a positional.*$/s, '.')}`,
    )
  }
}
