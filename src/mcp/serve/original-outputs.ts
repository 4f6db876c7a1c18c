import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'
import { estimateJsonSize } from '../../shared/json-size.js'

/** The output of a server tool, with every content type of the protocol. */
export interface OriginalOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface KeptOutput extends OriginalOutput {
  /** The result as a model would receive it. */
  readonly block: ToolResultBlock
  /** The size limit of a result for a model. */
  readonly maxChars: number
}

/** Keeps the original outputs of server tools, because clients accept content types that models do not. */
export class OriginalOutputs {
  readonly #ignoresAlwaysLoad: boolean
  readonly #outputs = new Map<string, KeptOutput>()
  readonly #metas = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #wrappedTools = new WeakMap<Tool, Tool>()
  #lastWrapped: { readonly tools: Tools; readonly wrappedTools: Tools } | undefined

  /**
   * @param ignoresAlwaysLoad whether `alwaysLoad` of server tools is ignored, because a gateway decides what it lists
   */
  constructor({ ignoresAlwaysLoad = false }: { readonly ignoresAlwaysLoad?: boolean } = {}) {
    this.#ignoresAlwaysLoad = ignoresAlwaysLoad
  }

  /** Wraps server tools so that their outputs are kept. Returns the same array for the same input array. */
  wrapTools(tools: Tools): Tools {
    if (this.#lastWrapped?.tools !== tools) {
      this.#lastWrapped = {
        tools,
        wrappedTools: Object.freeze(tools.map((tool) => (tool.isMcp === true ? this.#wrapTool(tool) : tool))),
      }
    }
    return this.#lastWrapped.wrappedTools
  }

  /** Returns the original output of a call, unless the pipeline changed its result. */
  take(block: ToolResultBlock): OriginalOutput | undefined {
    const id = block.tool_use_id
    const output = this.#outputs.get(id)
    const meta = this.#metas.get(id)
    this.forget(id)
    if (output === undefined || block.is_error === true || !isDeepStrictEqual(output.block.content, block.content))
      return undefined
    return {
      ...limitStructuredContent(output),
      ...(meta !== undefined && { _meta: meta }),
    }
  }

  forget(toolUseId: string): void {
    this.#outputs.delete(toolUseId)
    this.#metas.delete(toolUseId)
  }

  #wrapTool(tool: Tool): Tool {
    const existingTool = this.#wrappedTools.get(tool)
    if (existingTool !== undefined) return existingTool
    const wrappedTool: Tool = Object.freeze({
      ...tool,
      ...(this.#ignoresAlwaysLoad && { alwaysLoad: false }),
      call: async (...args: Parameters<Tool['call']>) => {
        const result = await tool.call(...args)
        const meta = result.mcpMeta?._meta
        if (meta !== undefined) this.#metas.set(args[1].toolUseId, meta)
        return result
      },
      mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string) => {
        const block = tool.mapToolResultToToolResultBlockParam(output, toolUseId)
        if (isRecord(output) && Array.isArray(output.content)) {
          const { content, structuredContent } = output
          this.#outputs.set(toolUseId, { block, content, structuredContent, maxChars: tool.maxResultSizeChars })
        }
        return block
      },
    })
    this.#wrappedTools.set(tool, wrappedTool)
    return wrappedTool
  }
}

/**
 * Applies the size limit to structured content too, because many clients pass it to their model instead of the content.
 */
function limitStructuredContent({
  content,
  structuredContent,
  maxChars,
}: KeptOutput): Pick<OriginalOutput, 'content' | 'structuredContent'> {
  if (structuredContent === undefined) return { content }
  const chars = estimateJsonSize(structuredContent)
  if (chars <= maxChars) return { content, structuredContent }
  const text = `[Structured content of about ${chars} characters is omitted: it exceeds the size limit of a result.]`
  return { content: [...content, { type: 'text', text }] }
}
