import { readFile } from 'node:fs/promises'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolDefinition } from '../../contract/messages.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'

/** The name of the tool that reads long results. It is always callable, also through `CallTool`. */
export const READ_RESULT = 'ReadResult'

export const READ_RESULT_DEFINITION: ToolDefinition = {
  name: READ_RESULT,
  description: 'Reads more of a long result, of which an earlier call returned only the start and the end.',
  input_schema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id in the note of the earlier result' },
      offset: { type: 'integer', minimum: 0, description: 'The first character to read (default 0)' },
    },
    required: ['id'],
    additionalProperties: false,
  },
}

const PAGE_CHARS = 20_000
const MAX_RESULTS = 1_000

/**
 * The long results of clients, which they read page by page. A client may be on another machine, or have tools of its own named
 * like ours, so it is not told about files.
 */
export class ResultPages {
  /** The files by id, oldest first. Ids are random, so that no client can guess those of another. */
  readonly #paths = new Map<string, string>()

  /** Registers a stored result and returns how to read it. */
  add(id: string, path: string): string {
    const [oldestId] = this.#paths.keys()
    if (oldestId !== undefined && this.#paths.size >= MAX_RESULTS) this.#paths.delete(oldestId)
    this.#paths.set(id, path)
    return `the rest is available in pages: call ${READ_RESULT} with {"id": "${id}", "offset": 0}, directly or through CallTool.`
  }

  async read(input: unknown): Promise<CallToolResult> {
    const { id, offset = 0 } = isRecord(input) ? input : {}
    const path = typeof id === 'string' ? this.#paths.get(id) : undefined
    if (path === undefined) return createError(`There is no long result with this id. Make the earlier call again.`)
    if (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)
      return createError('The offset must be an integer from 0.')
    const text = await readFile(path, 'utf8')
    if (offset >= text.length) return createError(`The result has only ${text.length} characters.`)
    const page = cutText(text.slice(offset), PAGE_CHARS)
    const end = offset + page.length
    const note = end < text.length ? ` Continue with offset ${end}.` : ' This is the end.'
    return createText(`${page}\n[Characters ${offset} to ${end} of ${text.length}.${note}]`)
  }
}

function createText(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

function createError(text: string): CallToolResult {
  return { ...createText(text), isError: true }
}
