import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'
import { roughSize } from '../../shared/rough-size.js'

/** What a server's tool gave, in all kinds of content that the protocol has. */
export interface KeptOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface Kept extends KeptOutput {
  /** How a model would have got it. */
  readonly block: ToolResultBlock
  /** What of it a model may be given at once. */
  readonly maxChars: number
}

/** What servers' tools give, kept until it is sent on: a model is told less of it than a client can take. */
export class KeptOutputs {
  readonly #areDeferred: boolean
  readonly #kept = new Map<string, Kept>()
  readonly #metas = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #watched = new WeakMap<Tool, Tool>()
  #last: { readonly tools: Tools; readonly watched: Tools } | undefined

  /** `areDeferred`: no tool is there always, whatever its server wants; a gateway decides that itself. */
  constructor({ areDeferred = false }: { readonly areDeferred?: boolean } = {}) {
    this.#areDeferred = areDeferred
  }

  /** The same tools, looked over the shoulder. The same array for the same array. */
  watch(tools: Tools): Tools {
    if (this.#last?.tools !== tools) {
      this.#last = {
        tools,
        watched: Object.freeze(tools.map((tool) => (tool.isMcp === true ? this.#watch(tool) : tool))),
      }
    }
    return this.#last.watched
  }

  /** What a call gave, unless something on its road made another result of it. */
  take(block: ToolResultBlock): KeptOutput | undefined {
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

  #watch(tool: Tool): Tool {
    const known = this.#watched.get(tool)
    if (known !== undefined) return known
    const watched: Tool = Object.freeze({
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
    this.#watched.set(tool, watched)
    return watched
  }
}

/** The budget is kept for the content by then. Many clients give their model what is structured instead. */
function withinBudget({
  content,
  structuredContent,
  maxChars,
}: Kept): Pick<KeptOutput, 'content' | 'structuredContent'> {
  if (structuredContent === undefined) return { content }
  const chars = roughSize(structuredContent)
  if (chars <= maxChars) return { content, structuredContent }
  const text = `[Structured content of about ${chars} characters is left out: it is longer than a result may be.]`
  return { content: [...content, { type: 'text', text }] }
}
