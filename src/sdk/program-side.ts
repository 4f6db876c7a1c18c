import { isRecord } from '../shared/is-record.js'
import { reasonOf } from '../shared/reason-of.js'
import { type McpMessage, ServerConnection } from './mcp-server.js'
import type { CanUseTool, HookCallback, HookInput, McpServerConfig, Options } from './options.js'

type Fields = Readonly<Record<string, unknown>>

/** Answers the requests of a session with the callbacks and servers of this program. */
export class ProgramSide {
  readonly #options: Options
  readonly #send: (line: object) => void
  readonly #sendRequest: (request: Fields) => void
  readonly #callbacks = new Map<string, HookCallback>()
  readonly #servers = new Map<string, ServerConnection>()
  readonly #running = new Map<string, AbortController>()

  /** @param sendRequest sends a request to the session without waiting for the answer */
  constructor(options: Options, send: (line: object) => void, sendRequest: (request: Fields) => void) {
    this.#options = options
    this.#send = send
    this.#sendRequest = sendRequest
    this.setServers(options.mcpServers ?? {})
  }

  /** Returns the hooks of the options for the initialize request. */
  registerHooks(): Fields | undefined {
    const { hooks } = this.#options
    if (hooks === undefined) return undefined
    return Object.fromEntries(
      Object.entries(hooks).map(([event, matchers]) => [
        event,
        (matchers ?? []).map(({ hooks: callbacks, ...matcher }) => ({
          ...matcher,
          hookCallbackIds: callbacks.map((callback) => this.#registerCallback(callback)),
        })),
      ]),
    )
  }

  #registerCallback(callback: HookCallback): string {
    const id = `hook_${this.#callbacks.size}`
    this.#callbacks.set(id, callback)
    return id
  }

  /** Connects the servers in this program, ends those that are no longer listed, and returns the names of the former. */
  setServers(servers: Readonly<Record<string, McpServerConfig>>): readonly string[] {
    const names = Object.entries(servers).flatMap(([name, config]) => {
      if (!('instance' in config)) return []
      if (!this.#servers.has(name)) {
        const forward = (message: McpMessage) =>
          this.#sendRequest({ subtype: 'mcp_message', server_name: name, message })
        this.#servers.set(name, new ServerConnection(config.instance, forward))
      }
      return [name]
    })
    for (const [name, connection] of this.#servers) {
      if (names.includes(name)) continue
      this.#servers.delete(name)
      void connection.close()
    }
    return names
  }

  /** Handles a request of the session, or the withdrawal of one. */
  handle(line: Fields): void {
    const requestId = String(line.request_id)
    if (line.type === 'control_cancel_request') this.#running.get(requestId)?.abort()
    else if (isRecord(line.request)) void this.#answer(requestId, line.request)
  }

  close(): void {
    for (const controller of this.#running.values()) controller.abort()
    for (const connection of this.#servers.values()) void connection.close()
  }

  async #answer(requestId: string, request: Fields): Promise<void> {
    const controller = new AbortController()
    this.#running.set(requestId, controller)
    try {
      const response = await this.#respond(requestId, request, controller.signal)
      this.#send({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })
    } catch (error) {
      const failure = { subtype: 'error', request_id: requestId, error: reasonOf(error) }
      this.#send({ type: 'control_response', response: failure })
    } finally {
      this.#running.delete(requestId)
    }
  }

  async #respond(requestId: string, request: Fields, signal: AbortSignal): Promise<unknown> {
    switch (request.subtype) {
      case 'can_use_tool':
        return await this.#askPermission(requestId, request, signal)
      case 'hook_callback': {
        const callback = this.#callbacks.get(String(request.callback_id))
        const toolUseId = typeof request.tool_use_id === 'string' ? request.tool_use_id : undefined
        // The session sends only the fields of its payloads.
        return await callback?.(request.input as HookInput, toolUseId, { signal })
      }
      case 'mcp_message': {
        const name = String(request.server_name)
        const connection = this.#servers.get(name)
        if (connection === undefined) throw new Error(`There is no MCP server ${name}.`)
        return { mcp_response: await connection.deliver(request.message as McpMessage) }
      }
      case 'elicitation':
        return await this.#elicit(requestId, request, signal)
      default:
        throw new Error(`The request ${String(request.subtype)} is not supported.`)
    }
  }

  #askPermission(requestId: string, request: Fields, signal: AbortSignal): Promise<unknown> {
    const { canUseTool } = this.#options
    if (canUseTool === undefined) throw new Error('There is no canUseTool.')
    const { tool_name: toolName, input, permission_suggestions: suggestions, agent_id: agentID } = request
    const options = {
      ...{ signal, requestId, toolUseID: request.tool_use_id, decisionReason: request.decision_reason },
      ...{ title: request.title, suggestions, ...(agentID !== undefined && { agentID }) },
    }
    return canUseTool(String(toolName), input as Record<string, unknown>, options as Parameters<CanUseTool>[2])
  }

  async #elicit(requestId: string, request: Fields, signal: AbortSignal): Promise<unknown> {
    const { onElicitation } = this.#options
    if (onElicitation === undefined) return { action: 'decline' }
    const { mcp_server_name: serverName, message, mode, url, requested_schema: requestedSchema } = request
    const form = { serverName, message, mode, url, requestedSchema }
    return await onElicitation(form as Parameters<typeof onElicitation>[0], { signal, requestId })
  }
}
