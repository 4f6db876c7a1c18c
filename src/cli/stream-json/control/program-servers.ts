import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ConfiguredServer } from '../../../mcp/config/server-config.js'
import { getAnswerSchemas } from '../schema/answer-schemas.js'
import type { ControlChannel } from './control-channel.js'

/** MCP servers in the driving program. Their messages are control requests in both directions. */
export class ProgramServers {
  readonly #channel: ControlChannel
  readonly #transports = new Map<string, ProgramTransport>()

  constructor(channel: ControlChannel) {
    this.#channel = channel
  }

  /** @param timeoutMs how long a call may take */
  configure(name: string, timeoutMs?: number): ConfiguredServer {
    return {
      name,
      source: 'command line',
      approved: true,
      config: {
        type: 'sdk',
        ...(timeoutMs !== undefined && { timeoutMs }),
        openTransport: () => {
          const transport = new ProgramTransport(name, this.#channel)
          this.#transports.set(name, transport)
          return transport
        },
      },
    }
  }

  /** Passes on a message that a server sent by itself, such as a notification. Returns false if there is no such server. */
  receive(name: string, message: Readonly<Record<string, unknown>>): boolean {
    const transport = this.#transports.get(name)
    transport?.onmessage?.(message as unknown as JSONRPCMessage)
    return transport !== undefined
  }
}

const SERVER_ERROR = -32_000

class ProgramTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly #name: string
  readonly #channel: ControlChannel
  readonly #closing = new AbortController()

  constructor(name: string, channel: ControlChannel) {
    this.#name = name
    this.#channel = channel
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    // The answer must not be awaited here: the client would not notice a cancellation.
    void this.#exchange(message)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    this.onclose?.()
  }

  async #exchange(message: JSONRPCMessage): Promise<void> {
    const answer = await this.#channel.request(
      { subtype: 'mcp_message', server_name: this.#name, message: { ...message } },
      readMcpResponse,
      this.#closing.signal,
    )
    if (!('method' in message && 'id' in message) || answer.type === 'cancelled') return
    const { id } = message
    if (answer.type === 'answered') this.onmessage?.(answer.value as unknown as JSONRPCMessage)
    else {
      const text = answer.type === 'failed' ? answer.message : 'The program has closed its input.'
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: text } })
    }
  }
}

function readMcpResponse(response: unknown): { readonly value: Record<string, unknown> } | undefined {
  const { data } = getAnswerSchemas().mcp.safeParse(response)
  return data && { value: data.mcp_response }
}
