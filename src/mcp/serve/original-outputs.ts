import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isObject, isRecord } from '../../shared/is-record.js'
import { estimateJsonSize } from '../../shared/json-size.js'
import { selectForwardedMeta } from '../client/exchange.js'
import { McpResultError } from '../tools/build-mcp-tool.js'

/** The output of a server tool, with every content type of the protocol. */
export interface OriginalOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface KeptOutput extends OriginalOutput {
  /** The result as a model would receive it. */
  readonly block: ToolResultBlock
  /** The size limit of a result for a model. */
  readonly maxChars: number
  readonly meta?: unknown
}

/** The size limit of an error result. Longer ones are shortened to their text. */
const MAX_ERROR_CHARS = 50_000
/** Media do not count as text. */
const MAX_ERROR_MEDIA_CHARS = 20_000_000

/** Returns the error result of the server; undefined if something else failed, or if the result is too long. */
function readErrorOutput(block: ToolResultBlock, error: unknown): KeptOutput | undefined {
  const cause = isObject(error) ? error.cause : undefined
  if (!(cause instanceof McpResultError)) return undefined
  const { content, structuredContent, _meta } = cause.result
  if (estimateJsonSize(content) > MAX_ERROR_MEDIA_CHARS) return undefined
  const keptBlock = { ...block, content: (error as Error).message }
  return { block: keptBlock, content, structuredContent, maxChars: MAX_ERROR_CHARS, meta: _meta }
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

  /**
   * Returns the original output of a call, unless the pipeline changed its result. For a failed call, this is the error result
   * of the server.
   */
  take(block: ToolResultBlock, error?: unknown): OriginalOutput | undefined {
    const id = block.tool_use_id
    const output = block.is_error === true ? readErrorOutput(block, error) : this.#outputs.get(id)
    const meta = this.#metas.get(id)
    this.forget(id)
    if (output === undefined || !isDeepStrictEqual(output.block.content, block.content)) return undefined
    return {
      ...limitStructuredContent(output),
      ...(block.is_error === true && { isError: true }),
      ...selectForwardedMeta(meta ?? output.meta),
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
