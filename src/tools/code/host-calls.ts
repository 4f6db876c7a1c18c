import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { CallableTool, CallsPort, NestedOutcome } from '../../contract/ports/calls.js'
import { isRecord } from '../../shared/is-record.js'
import { declareTool, toAccess } from './declaration.js'

const DEFAULT_SEARCH_RESULTS = 10
const MAX_SEARCH_RESULTS = 50
/** Larger results would not fit into the memory of the interpreter. */
const MAX_RESULT_CHARS = 16 * 1024 ** 2

/** An error that is thrown in the code, with the data of the failed call. */
export class CallFailure extends ToolCallError {
  readonly data: unknown

  constructor(code: ToolCallErrorCode, message: string, data?: unknown) {
    super(code, message)
    this.data = data
  }
}

/** Answers the requests of one run of code: tool calls and questions about tools. */
export class HostCalls {
  readonly #calls: CallsPort
  readonly #counts = new Map<string, { count: number; failed: number }>()

  constructor(calls: CallsPort) {
    this.#calls = calls
  }

  /** The number of calls of each tool. */
  get counts() {
    return [...this.#counts].map(([name, counts]) => ({ name, ...counts }))
  }

  /** Returns JSON text. A result may be large, so it is serialised only once. */
  async answer(name: string, argument: unknown): Promise<string> {
    const input = isRecord(argument) ? argument : {}
    switch (name) {
      case 'call':
        return this.#call(String(input.name), input.input)
      case 'list':
        return JSON.stringify(this.#calls.list().map(toListed))
      case 'search':
        return JSON.stringify(await this.#search(String(input.query), input.limit))
      case 'describe':
        return JSON.stringify(await this.#describe(String(input.name)))
      default:
        throw new ToolCallError('input_invalid', `There is no function ${name}.`)
    }
  }

  async #call(name: string, input: unknown): Promise<string> {
    const outcome = await this.#calls.call(name, input)
    const isFailed = hasFailed(outcome)
    const counts = this.#counts.get(name) ?? { count: 0, failed: 0 }
    this.#counts.set(name, { count: counts.count + 1, failed: counts.failed + Number(isFailed) })
    if (isFailed) throw toCallFailure(outcome, `\nIts declaration: await tools.describe(${JSON.stringify(name)})`)
    return toResultJson(outcome, { name, isMcp: this.#find(name)?.isMcp === true, maxChars: MAX_RESULT_CHARS })
  }

  async #search(query: string, limit: unknown) {
    const maxResults =
      typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MAX_SEARCH_RESULTS) : DEFAULT_SEARCH_RESULTS
    const names = await this.#calls.search(query, { maxResults })
    return names.flatMap((name) => this.#find(name) ?? []).map(toListed)
  }

  async #describe(name: string): Promise<string> {
    const definition = await this.#calls.describe(name)
    if (definition === undefined)
      throw new ToolCallError(
        'unknown_tool',
        `There is no tool ${JSON.stringify(name)}. Find one with tools.search(query).`,
      )
    return declareTool(definition)
  }

  #find(name: string): CallableTool | undefined {
    return this.#calls.list().find((tool) => tool.name === name)
  }
}

export function hasFailed({ errorCode, result }: NestedOutcome): boolean {
  return errorCode !== undefined || result.is_error === true
}

/** Creates the error that the code gets for a failed call, with advice if the input was wrong. */
export function toCallFailure(
  { result, errorCode = 'tool_failed', data }: NestedOutcome,
  inputAdvice: string,
): CallFailure {
  const isInputWrong = errorCode === 'input_invalid' || errorCode === 'input_refused'
  return new CallFailure(errorCode, `${textOf(result)}${isInputWrong ? inputAdvice : ''}`, data)
}

/** Returns the result of a call as JSON text for the code. Throws if it is too large. */
export function toResultJson(
  outcome: NestedOutcome,
  { name, isMcp, maxChars }: { readonly name: string; readonly isMcp: boolean; readonly maxChars: number },
): string {
  const json = toJson(outcome, isMcp)
  if (json.length > maxChars)
    throw new ToolCallError('tool_failed', `The result of ${name} is too large for code. Ask for less of it.`)
  return json
}

function toListed({ name, hint }: CallableTool) {
  return { name, call: toAccess(name), ...(hint !== undefined && { hint }) }
}

/**
 * Converts a result for the code to JSON: the data of the tool. For an MCP tool: its structured content, otherwise its text,
 * otherwise its parts.
 */
function toJson({ data, result }: NestedOutcome, isMcp: boolean): string {
  if (!isMcp)
    return (data === undefined || data === null ? undefined : serialise(data)) ?? JSON.stringify(textOf(result))
  const value = isRecord(data) && data.structuredContent !== undefined ? data.structuredContent : result.content
  return JSON.stringify(value)
}

/** Returns undefined for data that JSON cannot represent. */
function serialise(data: unknown): string | undefined {
  try {
    return JSON.stringify(data)
  } catch {
    // The text of the result is used instead.
    return undefined
  }
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
}
