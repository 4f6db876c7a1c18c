import * as z from 'zod'
import { createLanguageServerSchema } from '../../contract/host/edit-programs.js'
import { BUILT_IN_SERVERS, type BuiltInServer, type ServerProgram } from './server-table.js'

const DEFAULT_MEMORY_MB = 4_096

/** A language server that may be started: from the settings, or built in. */
export interface ServerConfig {
  readonly name: string
  /** Preferred first. One of them must be installed. */
  readonly programs: readonly ServerProgram[]
  /** The language ID for each file extension: `.ts` is `typescript`. */
  readonly extensions: Readonly<Record<string, string>>
  readonly rootMarkers: readonly string[]
  readonly root: BuiltInServer['root']
  readonly memoryBytes: number
  /** How to install a built-in server. */
  readonly install?: string
  /** Whether the server may be started before the project is trusted. Servers from the user's settings may. */
  readonly isSafeUntrusted: boolean
  /** Whether the server comes from the settings. If so, edits start it, too. */
  readonly isConfigured: boolean
  readonly initializationOptions?: unknown
  readonly settings?: Readonly<Record<string, unknown>>
}

type ServerSettings = z.infer<ReturnType<typeof createLanguageServerSchema>>

/** Lists the servers of the settings, then the built-in ones. Invalid servers are left out with a warning. */
export function listServers(
  settings: Readonly<Record<string, unknown>>,
  warn: (problem: string) => void,
): readonly ServerConfig[] {
  const parsedEntries = Object.entries(settings).flatMap(([name, value]) => {
    const parseResult = createLanguageServerSchema().safeParse(value)
    if (parseResult.success) return [[name, parseResult.data] as const]
    warn(`The language server ${name} is left out: ${z.prettifyError(parseResult.error)}`)
    return []
  })
  const configuredServers = parsedEntries.flatMap(([name, entry]) => {
    const config = entry.disabled === true ? undefined : createConfig(name, entry, warn)
    return config === undefined ? [] : [config]
  })
  const builtInServers = BUILT_IN_SERVERS.filter(({ name }) => !Object.hasOwn(settings, name)).map(fromTable)
  return [...configuredServers, ...builtInServers]
}

function createConfig(name: string, entry: ServerSettings, warn: (problem: string) => void): ServerConfig | undefined {
  const builtIn = BUILT_IN_SERVERS.find((server) => server.name === name)
  const { command, args, extensions = builtIn?.extensions, rootMarkers = builtIn?.rootMarkers ?? [] } = entry
  if (extensions === undefined || (command === undefined && builtIn === undefined)) {
    warn(`The language server ${name} is left out: it needs command and extensions.`)
    return undefined
  }
  const { memoryMb = DEFAULT_MEMORY_MB, initializationOptions, settings } = entry
  const programs =
    command === undefined
      ? (builtIn?.programs ?? []).map((program) => ({ ...program, args: args ?? program.args }))
      : [{ command, args: args ?? [] }]
  return {
    ...{ name, programs, extensions, rootMarkers, root: builtIn?.root ?? 'nearest' },
    memoryBytes: memoryMb * 1024 ** 2,
    ...(builtIn !== undefined && { install: builtIn.install }),
    isSafeUntrusted: command !== undefined || builtIn?.isSafeUntrusted === true,
    isConfigured: true,
    ...(initializationOptions !== undefined && { initializationOptions }),
    ...(settings !== undefined && { settings }),
  }
}

function fromTable(server: BuiltInServer): ServerConfig {
  return {
    ...server,
    isSafeUntrusted: server.isSafeUntrusted === true,
    isConfigured: false,
    memoryBytes: DEFAULT_MEMORY_MB * 1024 ** 2,
  }
}
