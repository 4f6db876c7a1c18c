import { readMcpEntry } from '../../../contract/mcp/server-entry.js'
import { resolveEntry } from '../../../mcp/config/resolve-entry.js'
import type { ConfiguredServer } from '../../../mcp/config/server-config.js'
import { UsageError } from '../../io/exit.js'

interface EntryContext {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths refer to. */
  readonly base: string
}

/** Reads a server in the format of `.mcp.json` that a driving program adds. The program has approved it. */
export function configureProgramServers(name: string, entry: unknown, context: EntryContext): ConfiguredServer {
  const parsedEntry = readMcpEntry(entry)
  if ('issues' in parsedEntry) {
    const [issue] = parsedEntry.issues
    throw new UsageError(`the server is invalid at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  return { name, source: 'command line', approved: true, config: resolveEntry(parsedEntry.entry, context) }
}
