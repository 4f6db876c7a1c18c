import type { CommandIo } from '../../io/command.js'
import { serveOptions } from './serve-options.js'

/** Serves tools to MCP clients: those of Haft and of its servers, or as a gateway those of the servers alone. */
export async function runServe(io: CommandIo): Promise<number> {
  const options = serveOptions(io.args)
  // A slip in the options is told at once, without all that serving needs.
  const { serve } = await import('./serve.js')
  return serve(io, options)
}
