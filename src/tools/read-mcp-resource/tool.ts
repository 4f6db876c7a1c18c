import * as z from 'zod'
import type { ToolResultContent } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, collapsible } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { prompt } from './prompt.js'

const IMAGE_TYPES: ReadonlySet<string | undefined> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const PDF = 'application/pdf'

export const ReadMcpResourceTool = buildTool({
  name: 'ReadMcpResource',
  searchHint: 'read MCP resource content',
  needs: ['mcp'],
  shouldDefer: true,
  readsMcpResources: true,
  modes: { onDemand: true },
  description: 'Reads a resource of an MCP server',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      server: z.string().min(1).describe('The server that has the resource'),
      uri: z.string().min(1).describe('The URI of the resource, as listed by ListMcpResources'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.array(
      z.object({
        uri: z.string(),
        mimeType: z.string().optional(),
        text: z.string().optional(),
        blob: z.string().optional(),
      }),
    ),
  ),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  checkPermissions: ({ server }, { mcp }) =>
    mcp.mustAskAbout?.(server) === true
      ? {
          behavior: 'ask',
          message: `A rule requires approval for the MCP server ${server}.`,
          reason: { type: 'tool', text: `a rule requires approval for ${server}` },
        }
      : { behavior: 'passthrough' },

  async call({ server, uri }, { mcp }) {
    return { data: [...(await mcp.readResource(server, uri))] }
  },

  mapToolResultToToolResultBlockParam(contents, toolUseId) {
    const content = contents.map(toContent)
    const [first] = content
    const text = content.length === 1 && first?.type === 'text' ? first.text : undefined
    return {
      type: 'tool_result',
      tool_use_id: toolUseId,
      content: content.length === 0 ? 'The resource is empty.' : (text ?? content),
    }
  },

  getToolUseSummary: (input) => (typeof input?.uri === 'string' ? input.uri : null),
  getActivityDescription: () => 'Reading a resource',
  userFacingName: () => 'MCP resource',
  renderToolUseMessage: ({ uri }) => (typeof uri === 'string' ? uri : ''),
  renderToolResultMessage: (contents) =>
    collapsible(
      `Read ${formatCounted(contents.length, 'resource')}`,
      block(...contents.map(({ uri, mimeType, text: content }) => content ?? `[${mimeType ?? 'data'} of ${uri}]`)),
    ),
  isResultTruncated: (contents) => contents.length > 0,
  extractSearchText: (contents) => contents.map(({ text = '' }) => text).join('\n'),
})

interface ResourceContent {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

function toContent({ uri, mimeType, text, blob = '' }: ResourceContent): ToolResultContent {
  if (text !== undefined) return { type: 'text', text }
  const source = { type: 'base64', media_type: mimeType ?? '', data: blob } as const
  if (IMAGE_TYPES.has(mimeType)) return { type: 'image', source }
  if (mimeType === PDF) return { type: 'document', title: uri, source }
  const bytes = Math.floor((blob.length * 3) / 4)
  return { type: 'text', text: `[${uri}: ${mimeType ?? 'of unknown type'}, ${bytes} bytes; it cannot be displayed]` }
}
