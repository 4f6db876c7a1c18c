import type { CommandIo } from '../../io/command.js'
import { parseServeOptions } from './serve-options.js'

/**
 * Serves tools to MCP clients: Haft's tools and those of its servers, or with --gateway only tool search and the tools
 * of the servers.
 */
export async function runServe(io: CommandIo): Promise<number> {
  const options = parseServeOptions(io.args)
  // Loaded after the options are checked, so that mistakes are reported quickly.
  const { serve } = await import('./serve.js')
  return serve(io, options)
}
