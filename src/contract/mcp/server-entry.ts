import * as z from 'zod'
import { MAX_TIMER_MS } from '../../shared/waiting.js'
import type { RuleSource } from '../permission/context.js'

/** An MCP server as configured, before variables are expanded. */
export type McpServerEntry = z.output<ReturnType<typeof createEntrySchema>>

/** The unchecked MCP servers of one file or option. Problems are reported when the entries are parsed. */
export interface McpServerLayer {
  readonly source: RuleSource
  readonly file?: string
  /** The folder that relative paths start from. */
  readonly base: string
  readonly servers: Readonly<Record<string, unknown>>
}

interface McpEntryIssue {
  /** Relative to the entry; empty if the entry as a whole is wrong. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A parsed entry, or what is wrong with it. */
export type ParsedMcpEntry =
  | { readonly entry: McpServerEntry; readonly unknownKeys: readonly string[] }
  | { readonly issues: readonly McpEntryIssue[] }

const COMMON_KEYS = [
  'type',
  'timeoutMs',
  'startTimeoutMs',
  'maxConcurrency',
  'prefix',
  'disabled',
  'protocolVersion',
  'requireStructuredContent',
]
const STDIO_KEYS = [...COMMON_KEYS, 'command', 'args', 'env', 'cwd']
const HTTP_KEYS = [...COMMON_KEYS, 'url', 'headers', 'headersHelper', 'oauth']

let entrySchema: ReturnType<typeof createEntrySchema> | undefined

/** Returns the schema of one entry of `mcpServers`, built on first use. */
export function getMcpServerEntrySchema(): ReturnType<typeof createEntrySchema> {
  entrySchema ??= createEntrySchema()
  return entrySchema
}

/**
 * Parses an entry. An entry with an issue is rejected as a whole: without an invalid argument, its program could do
 * something else.
 */
export function readMcpEntry(value: unknown): ParsedMcpEntry {
  const parseResult = getMcpServerEntrySchema().safeParse(value)
  if (!parseResult.success) return { issues: parseResult.error.issues.map(({ path, message }) => ({ path, message })) }
  const problem = findKindProblem(parseResult.data)
  if (problem !== undefined) return { issues: [problem] }
  const knownKeys = listEntryKeys(parseResult.data)
  return {
    entry: parseResult.data,
    unknownKeys: Object.keys(parseResult.data).filter((key) => !knownKeys.includes(key)),
  }
}

/** Returns the keys that apply to this kind of server. */
export function listEntryKeys({ command }: McpServerEntry): readonly string[] {
  return command === undefined ? HTTP_KEYS : STDIO_KEYS
}

function findKindProblem({ type, command, url }: McpServerEntry): McpEntryIssue | undefined {
  if (command !== undefined && url !== undefined)
    return { path: ['url'], message: 'use either command or url, not both' }
  if (command === undefined && url === undefined) return { path: [], message: 'a server needs a command or a url' }
  const neededKey = type === undefined ? undefined : type === 'stdio' ? 'command' : 'url'
  const givenKey = command === undefined ? 'url' : 'command'
  return neededKey === undefined || neededKey === givenKey
    ? undefined
    : { path: ['type'], message: `${type} needs a ${neededKey}` }
}

function createEntrySchema() {
  const text = z.string().regex(/^[^\0]*$/, 'must not contain a NUL character')
  const milliseconds = z.int().min(1).max(MAX_TIMER_MS)
  return z.looseObject({
    type: z
      .enum(['stdio', 'http', 'sse', 'streamable-http'])
      .optional()
      .describe('The transport. The default is stdio for a command and streamable HTTP for a url.'),
    command: text.min(1).optional().describe('The program to start.'),
    args: z.array(text).optional().describe('Its arguments.'),
    env: z
      .record(z.string().regex(/^[^=\0]+$/), z.union([text, z.number(), z.boolean()]))
      .optional()
      .describe('Environment variables of the program.'),
    cwd: text
      .min(1)
      .optional()
      .describe('The working directory of the program; relative paths start from the project.'),
    url: z.string().min(1).optional().describe('The URL of the server.'),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is not a valid header name'), z.string())
      .optional()
      .describe('Headers to send with every request.'),
    headersHelper: text
      .min(1)
      .optional()
      .describe('A shell command that prints additional headers as a JSON object of strings.'),
    oauth: createOauthSchema().optional(),
    timeoutMs: milliseconds.optional().describe('Time limit of one call.'),
    startTimeoutMs: milliseconds.optional().describe('Time limit for starting the server and listing its tools.'),
    maxConcurrency: z.int().min(1).max(1000).optional().describe('Maximum number of concurrent calls.'),
    prefix: z.boolean().optional().describe('false: its tools are offered without the mcp__ prefix.'),
    disabled: z.boolean().optional().describe('true: the server is not started.'),
    protocolVersion: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2025-06-18')
      .optional()
      .describe('The protocol revision to use. The default is the latest one that the server supports.'),
    requireStructuredContent: z
      .boolean()
      .optional()
      .describe('false: tools with an output schema may return results without structured content.'),
  })
}

function createOauthSchema() {
  return z
    .looseObject({
      clientId: z.string().min(1).optional().describe('The id of a client that is already registered.'),
      clientSecret: z.string().min(1).optional().describe('The secret of that client; prefer an environment variable.'),
      issuer: z
        .url()
        .optional()
        .describe('The issuer that the client is registered with. No other one receives the secret.'),
      scope: z.string().min(1).optional().describe('The scopes to request, separated by spaces.'),
      callbackPort: z.int().min(1).max(65535).optional().describe('The port of the registered redirect URL.'),
    })
    .describe('OAuth settings. Omitted values are discovered.')
}
