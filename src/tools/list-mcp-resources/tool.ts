import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { collapsible, table } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { prompt } from './prompt.js'

export const ListMcpResourcesTool = buildTool({
  name: 'ListMcpResources',
  searchHint: 'list available MCP resources',
  needs: ['mcp'],
  shouldDefer: true,
  readsMcpResources: true,
  modes: { onDemand: true },
  description: 'Lists the resources of MCP servers',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      server: z.string().min(1).optional().describe('The server whose resources to list; all servers if left out'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.array(
      z.object({
        server: z.string(),
        uri: z.string(),
        name: z.string(),
        mimeType: z.string().optional(),
        description: z.string().optional(),
      }),
    ),
  ),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  // The tool only lists what configured servers offer. Reading a resource needs its own permission.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ server }, { mcp }) {
    return { data: [...(await mcp.listResources(server))] }
  },

  mapToolResultToToolResultBlockParam(resources, toolUseId) {
    if (resources.length === 0) return textResult(toolUseId, 'No MCP resources were found.')
    return textResult(toolUseId, resources.map((resource) => JSON.stringify(resource)).join('\n'))
  },

  getToolUseSummary: (input) => (typeof input?.server === 'string' ? input.server : null),
  getActivityDescription: () => 'Listing resources',
  userFacingName: () => 'MCP resources',
  renderToolUseMessage: ({ server }) => (typeof server === 'string' ? server : ''),
  renderToolResultMessage: (resources) =>
    collapsible(
      `Found ${formatCounted(resources.length, 'resource')}`,
      table(
        ['Server', 'Name', 'URI'],
        resources.map(({ server, name, uri }) => [server, name, uri]),
      ),
    ),
  isResultTruncated: (resources) => resources.length > 0,
  extractSearchText: (resources) => resources.map(({ uri }) => uri).join('\n'),
})
