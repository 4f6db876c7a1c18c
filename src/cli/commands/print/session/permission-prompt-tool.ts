import type { AskPermission, PermissionAnswer } from '../../../../calls/call-environment.js'
import type { McpPort } from '../../../../contract/ports/mcp.js'
import type { HaftRuntime } from '../../../../runtime/haft-runtime.js'
import { isRecord } from '../../../../shared/is-record.js'
import { quote } from '../../../../shared/quote.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { UsageError } from '../../../io/exit.js'

/** A tool of an MCP server that answers permission questions in place of a person. */
export class PermissionPromptTool {
  readonly #name: string
  readonly #interrupt: () => void
  #found: { readonly port: McpPort; readonly server: string; readonly tool: string } | undefined

  /** `interrupt` ends the prompt that is worked on. */
  constructor(name: string, interrupt: () => void) {
    this.#name = name
    this.#interrupt = interrupt
  }

  /** Looks for the tool before anything is asked: a run that could never ask should not start. */
  async open(runtime: HaftRuntime): Promise<void> {
    const servers = await runtime.mcp()
    await servers?.awaitTool(this.#name)?.catch((error: unknown) => {
      throw new UsageError(`the permission prompt tool ${this.#name} is not there: ${reasonOf(error)}`)
    })
    const info = runtime.pool.find(({ name }) => name === this.#name)?.mcpInfo
    if (servers === undefined || info === undefined)
      throw new UsageError(
        `there is no MCP tool ${quote(this.#name)} to ask for permission: name one as mcp__SERVER__TOOL, of a server that --mcp-config or settings have and no rule denies.`,
      )
    this.#found = { port: servers.port, server: info.serverName, tool: info.toolName }
  }

  readonly ask: AskPermission = async ({ tool, input, toolUseId, signal }) => {
    if (this.#found === undefined) return { behavior: 'nobody' }
    const { port, server, tool: toolName } = this.#found
    const asked = { tool_name: tool.name, input, tool_use_id: toolUseId }
    const { content, structuredContent, isError } = await port.callTool(server, toolName, asked, { signal })
    const text = textOf(content)
    if (isError === true) return { behavior: 'deny', message: `${this.#name} failed: ${text}` }
    const read = readAnswer(structuredContent) ?? readAnswer(parsed(text))
    if (read?.interrupts === true) this.#interrupt()
    return read?.answer ?? { behavior: 'deny', message: this.#unclear }
  }

  get #unclear(): string {
    return `${this.#name} gave no answer that can be used; it has to be {"behavior":"allow"} or {"behavior":"deny","message":"…"}.`
  }
}

interface ReadAnswer {
  readonly answer: PermissionAnswer
  readonly interrupts?: boolean
}

function readAnswer(value: unknown): ReadAnswer | undefined {
  if (!isRecord(value)) return undefined
  const { behavior, message, updatedInput, interrupt } = value
  if (behavior === 'deny')
    return { answer: { behavior, ...(typeof message === 'string' && { message }) }, interrupts: interrupt === true }
  if (behavior !== 'allow') return undefined
  if (updatedInput === undefined || updatedInput === null) return { answer: { behavior } }
  return isRecord(updatedInput) ? { answer: { behavior, updatedInput } } : undefined
}

function textOf(content: readonly unknown[]): string {
  const texts = content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
  return texts.join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Words are no answer; the caller says so.
    return undefined
  }
}
