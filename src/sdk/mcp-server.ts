import type * as z from 'zod'
import { version } from '../shared/version.js'

/** A message of the Model Context Protocol. */
export type McpMessage = Readonly<Record<string, unknown>>

/** The connection between a server in this program and the session. */
export interface McpTransport {
  onmessage?: ((message: McpMessage) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  start(): Promise<void>
  send(message: McpMessage): Promise<void>
  close(): Promise<void>
}

/** A server in this program. Servers of the official MCP SDK have these members. */
export interface McpServerInstance {
  // The transports of different versions of the MCP SDK have different types, but the same members.
  connect(transport: never): Promise<void>
  close(): Promise<void>
}

/** A server in this program, see `createSdkMcpServer`. */
export interface McpSdkServerConfig {
  readonly type: 'sdk'
  readonly name: string
  readonly instance: McpServerInstance
  /** How long a call may take, in milliseconds. */
  readonly timeout?: number
}

/** The fields of an input schema, by name. */
export type ToolShape = Readonly<Record<string, z.ZodType>>

/** The result of a tool. */
export interface ToolResult {
  readonly content: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

/** A tool of a server in this program. */
export interface SdkMcpToolDefinition<Shape extends ToolShape = ToolShape> {
  readonly name: string
  readonly description: string
  readonly inputSchema: Shape
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
  handler(args: z.output<z.ZodObject<Shape>>, extra: unknown): Promise<ToolResult>
}

interface ToolExtras {
  readonly annotations?: Readonly<Record<string, unknown>>
  /** Words by which a search finds the tool. */
  readonly searchHint?: string
  /** Whether the tool is a part of every request, and never has to be searched. */
  readonly alwaysLoad?: boolean
}

/** Defines a tool of a server in this program. */
export function tool<Shape extends ToolShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: SdkMcpToolDefinition<Shape>['handler'],
  { annotations, searchHint, alwaysLoad }: ToolExtras = {},
): SdkMcpToolDefinition<Shape> {
  const meta = {
    ...(searchHint !== undefined && { 'anthropic/searchHint': searchHint }),
    ...(alwaysLoad === true && { 'anthropic/alwaysLoad': true }),
  }
  const hasMeta = Object.keys(meta).length > 0
  return { name, description, inputSchema, handler, annotations, ...(hasMeta && { _meta: meta }) }
}

/** A tool of any shape. Only its own handler knows the input. */
type AnyToolDefinition = Omit<SdkMcpToolDefinition, 'handler'> & {
  handler(args: never, extra: unknown): Promise<ToolResult>
}

/** Options of `createSdkMcpServer`. */
export interface CreateSdkMcpServerOptions {
  readonly name: string
  readonly version?: string
  readonly instructions?: string
  readonly tools?: readonly AnyToolDefinition[]
  readonly timeout?: number
}

/** Creates an MCP server whose tools run in this program. Pass the result in the option `mcpServers`. */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfig {
  const { name, timeout } = options
  return { type: 'sdk', name, instance: new SdkMcpServer(options), ...(timeout !== undefined && { timeout }) }
}

/** Loads the code of MCP servers when a session connects to it. */
class SdkMcpServer implements McpServerInstance {
  readonly #options: CreateSdkMcpServerOptions
  readonly #servers = new Set<{ close(): Promise<void> }>()

  constructor(options: CreateSdkMcpServerOptions) {
    this.#options = options
  }

  async connect(transport: never): Promise<void> {
    const [{ McpServer }, { object }] = await Promise.all([import('@modelcontextprotocol/server'), import('zod')])
    const { name, version: serverVersion = version, instructions, tools = [] } = this.#options
    const server = new McpServer(
      { name, version: serverVersion },
      { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
    )
    for (const { name: toolName, description, inputSchema, annotations, _meta, handler } of tools) {
      const config = {
        ...{ description, inputSchema: object(inputSchema) },
        ...(annotations !== undefined && { annotations }),
        ...(_meta !== undefined && { _meta }),
      }
      server.registerTool(toolName, config, handler as never)
    }
    this.#servers.add(server)
    await server.connect(transport)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()))
  }
}

/** Connects a server to one session. */
export class ServerConnection implements McpTransport {
  onmessage?: (message: McpMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly connected: Promise<void>
  readonly #forward: (message: McpMessage) => void
  readonly #pending = new Map<string, (response: McpMessage) => void>()

  /** @param forward passes on messages that the server sends by itself */
  constructor(instance: McpServerInstance, forward: (message: McpMessage) => void) {
    this.#forward = forward
    this.connected = instance.connect(this as never)
    // The error is reported where the connection is awaited.
    this.connected.catch(() => {})
  }

  async start(): Promise<void> {}

  async send(message: McpMessage): Promise<void> {
    const resolve = 'method' in message ? undefined : this.#pending.get(String(message.id))
    if (resolve === undefined) return this.#forward(message)
    this.#pending.delete(String(message.id))
    resolve(message)
  }

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Delivers a message to the server. Resolves with the response to a request, and at once for a notification. */
  async deliver(message: McpMessage): Promise<McpMessage> {
    await this.connected
    if (!('method' in message && 'id' in message)) {
      this.onmessage?.(message)
      return { jsonrpc: '2.0', id: 0, result: {} }
    }
    return await new Promise((resolve) => {
      this.#pending.set(String(message.id), resolve)
      this.onmessage?.(message)
    })
  }
}
