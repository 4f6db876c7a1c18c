import * as z from 'zod'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { createDiscoveredTools } from '../../contract/tool/deferred-tools.js'
import { prompt } from './prompt.js'
import { createResultBlock } from './result-text.js'

const DEFAULT_MAX_RESULTS = 5
const MAX_RESULTS = 50
/** Enough for hundreds of names. The length is limited because a search blocks the event loop. */
const MAX_QUERY_CHARS = 20_000

export const ToolSearchTool = buildTool({
  name: 'ToolSearch',
  searchHint: 'find and load deferred tools',
  needs: ['catalog'],
  maxResultSizeChars: 100_000,
  findsTools: true,
  modes: { coordinating: true },
  description: 'Finds and loads deferred tools',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      query: z.string().describe('Words that describe the tool, or "select:A,B"'),
      max_results: z
        .number()
        .int()
        .min(1)
        .default(DEFAULT_MAX_RESULTS)
        .describe(`Maximum number of tools, up to ${MAX_RESULTS}; not for "select:"`),
    }),
  ),
  outputSchema: lazySchema(() => {
    const names = z.array(z.string()).readonly()
    return z.object({
      query: z.string(),
      names,
      missing: z.array(z.object({ name: z.string(), near: names }).readonly()).readonly(),
      pendingServers: names,
      nearestServers: names,
      definitions: z
        .array(
          z.object({
            name: z.string(),
            description: z.string(),
            input_schema: z.record(z.string(), z.unknown()),
            strict: z.boolean().exactOptional(),
            defer_loading: z.literal(true).exactOptional(),
          }),
        )
        .readonly(),
    })
  }),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  validateInput({ query }) {
    if (query.length > MAX_QUERY_CHARS) {
      const message = `The query has ${query.length} characters; the limit is ${MAX_QUERY_CHARS}. Search in several calls.`
      return { result: false, errorCode: 2, message }
    }
    if (query.trim().replace(/^select:[\s,]*$/i, '') !== '') return { result: true }
    return {
      result: false,
      errorCode: 1,
      message: 'The query is empty. Describe what the tool should do, or send select:<Name>.',
    }
  },
  // No approval is needed, because the search reveals only tools that the agent may call anyway.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ query, max_results }, { catalog }) {
    const answer = await catalog.search(query, { maxResults: Math.min(max_results, MAX_RESULTS) })
    const definitions = answer.names.length === 0 ? [] : await catalog.load(answer.names)
    // A server may disconnect between the search and the loading of definitions.
    const names = definitions.map(({ name }) => name)
    return {
      data: { query, ...answer, names, definitions },
      ...(names.length > 0 && { newMessages: [createDiscoveredTools(names)] }),
    }
  },

  mapToolResultToToolResultBlockParam: createResultBlock,

  getToolUseSummary: (input) => (typeof input?.query === 'string' ? input.query : null),
  getActivityDescription: () => 'Searching for tools',
  renderToolUseMessage: ({ query }) => (typeof query === 'string' ? query : ''),
  renderToolResultMessage: ({ names }) => (names.length === 0 ? 'No tool matches' : `Loaded ${names.join(', ')}`),
  extractSearchText: ({ names }) => names.join('\n'),
})
