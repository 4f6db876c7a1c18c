import * as z from 'zod'
import type { RuleSource } from '../permission/context.js'

/** An MCP server as files and options write it, before variables are filled in. */
export type McpServerEntry = z.output<ReturnType<typeof makeEntrySchema>>

/** The MCP servers of one file or option as they are written; what is wrong with them is told where they are read. */
export interface McpServerLayer {
  readonly source: RuleSource
  readonly file?: string
  /** Where relative folders count from. */
  readonly base: string
  readonly servers: Readonly<Record<string, unknown>>
}

interface McpEntryIssue {
  /** Counted from the entry; empty where the entry as a whole is wrong. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export type ReadMcpEntry =
  | { readonly entry: McpServerEntry; readonly unknownKeys: readonly string[] }
  | { readonly issues: readonly McpEntryIssue[] }

const COMMON_KEYS = ['type', 'timeoutMs', 'startTimeoutMs', 'maxConcurrency', 'prefix', 'disabled']
const STDIO_KEYS = [...COMMON_KEYS, 'command', 'args', 'env', 'cwd']
const HTTP_KEYS = [...COMMON_KEYS, 'url', 'headers', 'headersHelper', 'oauth']

let made: ReturnType<typeof makeEntrySchema> | undefined

/** The schema of one entry of `mcpServers`, built when it is first needed. */
export function mcpServerEntrySchema(): ReturnType<typeof makeEntrySchema> {
  made ??= makeEntrySchema()
  return made
}

/** Checks an entry. A server is taken as a whole or not at all: without one of its arguments it would be another. */
export function readMcpEntry(value: unknown): ReadMcpEntry {
  const parsed = mcpServerEntrySchema().safeParse(value)
  if (!parsed.success) return { issues: parsed.error.issues.map(({ path, message }) => ({ path, message })) }
  const problem = kindProblem(parsed.data)
  if (problem !== undefined) return { issues: [problem] }
  const known = mcpEntryKeys(parsed.data)
  return { entry: parsed.data, unknownKeys: Object.keys(parsed.data).filter((key) => !known.includes(key)) }
}

/** The keys that mean something for this kind of server. */
export function mcpEntryKeys({ command }: McpServerEntry): readonly string[] {
  return command === undefined ? HTTP_KEYS : STDIO_KEYS
}

function kindProblem({ type, command, url }: McpServerEntry): McpEntryIssue | undefined {
  if (command !== undefined && url !== undefined)
    return { path: ['url'], message: 'command and url exclude each other' }
  if (command === undefined && url === undefined)
    return { path: [], message: 'a server needs a command to start or a url to reach' }
  const needed = type === undefined ? undefined : type === 'stdio' ? 'command' : 'url'
  const given = command === undefined ? 'url' : 'command'
  return needed === undefined || needed === given ? undefined : { path: ['type'], message: `${type} needs a ${needed}` }
}

function makeEntrySchema() {
  const text = z.string().regex(/^[^\0]*$/, 'must not hold a NUL character')
  const milliseconds = z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
  return z.looseObject({
    type: z
      .enum(['stdio', 'http', 'sse', 'streamable-http'])
      .optional()
      .describe('How it is reached; a command means stdio, a url streamable HTTP.'),
    command: text.min(1).optional().describe('The program to start.'),
    args: z.array(text).optional().describe('Its arguments.'),
    env: z
      .record(z.string().regex(/^[^=\0]+$/), z.union([text, z.number(), z.boolean()]))
      .optional()
      .describe('Environment variables of the program.'),
    cwd: text.min(1).optional().describe('The folder that it runs in; a relative one counts from the project.'),
    url: z.string().min(1).optional().describe('The address of the server.'),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header'), z.string())
      .optional()
      .describe('Headers of every request.'),
    headersHelper: text
      .min(1)
      .optional()
      .describe('A shell command that prints further headers as a JSON object of strings.'),
    oauth: oauth().optional(),
    timeoutMs: milliseconds.optional().describe('How long one call may take.'),
    startTimeoutMs: milliseconds.optional().describe('How long it may take to start.'),
    maxConcurrency: z.int().min(1).max(1000).optional().describe('How many of its calls may run at once.'),
    prefix: z.boolean().optional().describe('false: its tools keep their own names.'),
    disabled: z.boolean().optional().describe('true: it is not started.'),
  })
}

function oauth() {
  return z
    .looseObject({
      clientId: z.string().min(1).optional().describe('The client that was registered beforehand.'),
      clientSecret: z.string().min(1).optional().describe('Its secret; better written as a variable.'),
      scope: z.string().min(1).optional().describe('What to ask for, separated by spaces.'),
      callbackPort: z.int().min(1).max(65535).optional().describe('The port of the registered redirect address.'),
    })
    .describe('What is known beforehand about signing in; the rest is discovered.')
}
