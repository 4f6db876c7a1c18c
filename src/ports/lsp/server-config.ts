import * as z from 'zod'
import { languageServerSchema } from '../../contract/host/edit-programs.js'

/** A language server as settings have it. */
export interface ServerConfig {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The language of files by the end of their names: `.ts` is `typescript`. */
  readonly extensions: Readonly<Record<string, string>>
  readonly initializationOptions?: unknown
}

/** The servers that settings name; one that is wrongly written is left out and told of. */
export function parseServers(
  settings: Readonly<Record<string, unknown>>,
  warn: (problem: string) => void,
): readonly ServerConfig[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const parsed = languageServerSchema().safeParse(value)
    if (parsed.success) return [serverConfig(name, parsed.data)]
    warn(`The language server ${name} is left out: ${z.prettifyError(parsed.error)}`)
    return []
  })
}

function serverConfig(name: string, settings: z.infer<ReturnType<typeof languageServerSchema>>): ServerConfig {
  const { command, args = [], extensions, initializationOptions } = settings
  return { name, command, args, extensions, ...(initializationOptions !== undefined && { initializationOptions }) }
}
