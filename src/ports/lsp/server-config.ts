import * as z from 'zod'
import { createLanguageServerSchema } from '../../contract/host/edit-programs.js'

/** A language server from the settings. */
export interface ServerConfig {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The language ID for each file extension: `.ts` is `typescript`. */
  readonly extensions: Readonly<Record<string, string>>
  readonly initializationOptions?: unknown
}

/** Parses the language servers of the settings. Invalid servers are left out with a warning. */
export function parseServers(
  settings: Readonly<Record<string, unknown>>,
  warn: (problem: string) => void,
): readonly ServerConfig[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const parseResult = createLanguageServerSchema().safeParse(value)
    if (parseResult.success) return [createServerConfig(name, parseResult.data)]
    warn(`The language server ${name} is left out: ${z.prettifyError(parseResult.error)}`)
    return []
  })
}

function createServerConfig(
  name: string,
  settings: z.infer<ReturnType<typeof createLanguageServerSchema>>,
): ServerConfig {
  const { command, args = [], extensions, initializationOptions } = settings
  return { name, command, args, extensions, ...(initializationOptions !== undefined && { initializationOptions }) }
}
