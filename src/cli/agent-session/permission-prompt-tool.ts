import type { AskPermission, PermissionAnswer } from '../../calls/call-environment.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { UsageError } from '../io/exit.js'

/** An MCP tool that answers permission questions instead of the user. */
export class PermissionPromptTool {
  readonly #name: string
  readonly #interrupt: () => void
  #promptTool: { readonly port: McpPort; readonly server: string; readonly tool: string } | undefined

  /** @param interrupt interrupts the running prompt */
  constructor(name: string, interrupt: () => void) {
    this.#name = name
    this.#interrupt = interrupt
  }

  /** Finds the tool. Throws if it is missing, because the run could never ask for permission. */
  async open(runtime: HaftRuntime): Promise<void> {
    const servers = await runtime.mcp()
    await servers?.awaitTool(this.#name)?.catch((error: unknown) => {
      throw new UsageError(`cannot use the permission prompt tool ${this.#name}: ${reasonOf(error)}`)
    })
    const info = runtime.pool.find(({ name }) => name === this.#name)?.mcpInfo
    if (servers === undefined || info === undefined)
      throw new UsageError(
        `unknown permission prompt tool ${quote(this.#name)}. Use mcp__SERVER__TOOL with a configured server that no rule denies.`,
      )
    this.#promptTool = { port: servers.port, server: info.serverName, tool: info.toolName }
  }

  readonly ask: AskPermission = async ({
    tool,
    input,
    toolUseId,
    signal,
    description,
    isDestructive,
    requiresUser,
  }) => {
    if (this.#promptTool === undefined) return { behavior: 'unavailable' }
    const { port, server, tool: toolName } = this.#promptTool
    const question = {
      ...{ tool_name: tool.name, input, tool_use_id: toolUseId },
      ...{ is_destructive: isDestructive, requires_user_interaction: requiresUser },
      ...(description !== undefined && { description }),
    }
    const { content, structuredContent, isError } = await port.callTool(server, toolName, question, { signal })
    const text = textOf(content)
    if (isError === true) return { behavior: 'deny', message: `${this.#name} failed: ${text}` }
    const parsedAnswer = readAnswer(structuredContent) ?? readAnswer(parseJson(text))
    if (parsedAnswer?.shouldInterrupt === true) this.#interrupt()
    return parsedAnswer?.answer ?? { behavior: 'deny', message: this.#invalidAnswer }
  }

  get #invalidAnswer(): string {
    return `${this.#name} returned an invalid answer; expected {"behavior":"allow"} or {"behavior":"deny","message":"…"}.`
  }
}

interface ParsedAnswer {
  readonly answer: PermissionAnswer
  readonly shouldInterrupt?: boolean
}

function readAnswer(value: unknown): ParsedAnswer | undefined {
  if (!isRecord(value)) return undefined
  const { behavior, message, updatedInput, interrupt } = value
  if (behavior === 'deny')
    return {
      answer: { behavior, ...(typeof message === 'string' && { message }) },
      shouldInterrupt: interrupt === true,
    }
  if (behavior !== 'allow') return undefined
  if (updatedInput === undefined || updatedInput === null) return { answer: { behavior } }
  return isRecord(updatedInput) ? { answer: { behavior, updatedInput } } : undefined
}

function textOf(content: readonly unknown[]): string {
  const texts = content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
  return texts.join('\n')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller reports the invalid answer.
    return undefined
  }
}
