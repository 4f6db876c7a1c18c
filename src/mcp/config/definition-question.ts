import type { PermissionAsk, PermissionPassthrough } from '../../contract/permission-result.js'
import type { PinnableTool } from './pinned-tool.js'
import type { Pins } from './pins.js'
import type { ConfiguredServer } from './server-config.js'

/**
 * What a server's tool says about a call of it: nothing, while it is what was approved; a question, once its server
 * describes it otherwise. Who is let through has approved it as it is now: `pins.accept` remembers that.
 */
export async function definitionQuestion(
  pins: Pins,
  server: ConfiguredServer,
  tool: PinnableTool,
): Promise<PermissionAsk | PermissionPassthrough> {
  if ((await pins.check(server, tool)) !== 'changed') return { behavior: 'passthrough' }
  const change = await pins.describe(server, tool)
  const text = `the MCP server ${server.name} changed this tool after you approved it`
  return { behavior: 'ask', message: `${text}:\n${change}`, reason: { type: 'tool', text } }
}
