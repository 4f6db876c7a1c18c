import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'
import { roughSize } from '../../shared/json-size.js'

/** The output of a server tool, with every content type of the protocol. */
export interface OriginalOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface Kept extends OriginalOutput {
  /** The result as a model would get it. */
  readonly block: ToolResultBlock
  /** Size limit of a result for a model. */
  readonly maxChars: number
}

/** Keeps the original outputs of server tools, because clients accept content that is reduced for models. */
export class OriginalOutputs {
  readonly #areDeferred: boolean
  readonly #kept = new Map<string, Kept>()
  readonly #metas = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #wrapped = new WeakMap<Tool, Tool>()
  #last: { readonly tools: Tools; readonly wrapped: Tools } | undefined

  /** `areDeferred`: ignore `alwaysLoad` of server tools, because a gateway decides that itself. */
  constructor({ areDeferred = false }: { readonly areDeferred?: boolean } = {}) {
    this.#areDeferred = areDeferred
  }

  /** Wraps server tools so that their outputs are kept. Returns the same array for the same input array. */
  wrapTools(tools: Tools): Tools {
    if (this.#last?.tools !== tools) {
      this.#last = {
        tools,
        wrapped: Object.freeze(tools.map((tool) => (tool.isMcp === true ? this.#wrapTools(tool) : tool))),
      }
    }
    return this.#last.wrapped
  }

  /** Returns the original output of a call, unless the pipeline changed its result. */
  take(block: ToolResultBlock): OriginalOutput | undefined {
    const id = block.tool_use_id
    const kept = this.#kept.get(id)
    const meta = this.#metas.get(id)
    this.forget(id)
    if (kept === undefined || block.is_error === true || !isDeepStrictEqual(kept.block.content, block.content))
      return undefined
    return {
      ...withinBudget(kept),
      ...(meta !== undefined && { _meta: meta }),
    }
  }

  forget(toolUseId: string): void {
    this.#kept.delete(toolUseId)
    this.#metas.delete(toolUseId)
  }

  #wrapTools(tool: Tool): Tool {
    const known = this.#wrapped.get(tool)
    if (known !== undefined) return known
    const wrapped: Tool = Object.freeze({
      ...tool,
      ...(this.#areDeferred && { alwaysLoad: false }),
      call: async (...call: Parameters<Tool['call']>) => {
        const result = await tool.call(...call)
        const meta = result.mcpMeta?._meta
        if (meta !== undefined) this.#metas.set(call[1].toolUseId, meta)
        return result
      },
      mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string) => {
        const block = tool.mapToolResultToToolResultBlockParam(output, toolUseId)
        if (isRecord(output) && Array.isArray(output.content)) {
          const { content, structuredContent } = output
          this.#kept.set(toolUseId, { block, content, structuredContent, maxChars: tool.maxResultSizeChars })
        }
        return block
      },
    })
    this.#wrapped.set(tool, wrapped)
    return wrapped
  }
}

/**
 * Applies the size limit to structured content too, because many clients give it to their model instead of the content.
 */
function withinBudget({
  content,
  structuredContent,
  maxChars,
}: Kept): Pick<OriginalOutput, 'content' | 'structuredContent'> {
  if (structuredContent === undefined) return { content }
  const chars = roughSize(structuredContent)
  if (chars <= maxChars) return { content, structuredContent }
  const text = `[Structured content of about ${chars} characters is omitted: it exceeds the size limit of a result.]`
  return { content: [...content, { type: 'text', text }] }
}
