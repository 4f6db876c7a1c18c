import type { ModelPrices } from '../../contract/model/model.js'
import type { RecordedMessage, RecordedPart, RecordedTool } from '../../session/transcript/storage/transcript-entry.js'
import { isRecord } from '../../shared/is-record.js'
import type { PartBytes, RequestRow } from './rows.js'

/** The bytes of `{"system":[],"tools":[],"messages":[]}`. */
const EMPTY_REQUEST_BYTES = 37

/** One part of a request, in the order in which it is sent. */
export interface RequestPart {
  readonly group: string
  readonly detail: string
  readonly bytes: number
  /** Where the content is recorded: the hash of a text of the system prompt or of a definition. */
  readonly hash?: string
  /** The position among the messages of the request. */
  readonly message?: number
}

interface RecordedRequest {
  readonly at: number
  readonly model: string
  readonly bytes: number
  readonly window: number
  readonly prices?: ModelPrices
  readonly tools: string
  readonly kept: number
  readonly system: readonly RecordedPart[]
  readonly messages: readonly RecordedMessage[]
}

/** Reconstructs the requests of one agent from what changed between them. */
export class RequestTable {
  readonly #toolsByHash = new Map<string, readonly RecordedTool[]>()
  readonly #groups = new GroupSums()
  #messages: RecordedMessage[] = []
  #messageBytes = 0
  #previous: RecordedRequest | undefined

  addTools(entry: Readonly<Record<string, unknown>>): void {
    const { hash, tools } = entry
    if (typeof hash === 'string' && Array.isArray(tools)) this.#toolsByHash.set(hash, tools.filter(isRecordedTool))
  }

  /** Adds a request; undefined if the entry is malformed. */
  add(entry: Readonly<Record<string, unknown>>, agent: number): RequestRow | undefined {
    if (!isRecordedRequest(entry)) return undefined
    const tools = this.#toolsByHash.get(entry.tools) ?? []
    const kept = Math.min(entry.kept, this.#messages.length)
    const systemBytes = sumBytes(entry.system)
    const toolBytes = sumBytes(tools)
    for (const message of this.#messages.slice(kept)) this.#count(message, -1)
    this.#messages.length = kept
    const keptMessageBytes = this.#messageBytes
    for (const message of entry.messages) {
      this.#messages.push(message)
      this.#count(message, 1)
    }
    const change = this.#findChange(entry, kept)
    const previous = this.#previous
    this.#previous = entry
    const { at, model, bytes, window, prices } = entry
    const partsOfTools = groupTools(tools)
    const known = systemBytes + toolBytes + this.#groups.total
    return {
      ...{ agent, at, model, bytes, window },
      ...(prices !== undefined && { prices }),
      parts: [
        { group: 'system', detail: '', bytes: systemBytes },
        ...partsOfTools,
        ...this.#groups.list(),
        { group: 'frame', detail: '', bytes: bytes - known },
      ].filter((part) => part.bytes !== 0),
      keptBytes:
        previous === undefined ? 0 : keptBytesOf(change, entry, { systemBytes, toolBytes, keptMessageBytes, kept }),
      ...(previous !== undefined && { previousBytes: previous.bytes }),
      ...(change !== undefined && { change }),
      deferredTools: tools.filter(([, , , isDeferred]) => isDeferred === 1).length,
    }
  }

  /** Lists the parts of the request that was added last, one by one. They add up to its bytes. */
  listParts(): readonly RequestPart[] {
    const request = this.#previous
    if (request === undefined) return []
    const parts: RequestPart[] = [
      ...request.system.map(([, bytes, hash = '']) => ({ group: 'system', detail: '', bytes, hash })),
      ...(this.#toolsByHash.get(request.tools) ?? []).map(([name, bytes, hash, isDeferred]) => {
        return { group: groupOfTool(name, isDeferred), detail: name, bytes, hash }
      }),
    ]
    for (const [message, [, , , blocks]] of this.#messages.entries())
      for (const part of blocks) parts.push({ ...describePart(part), bytes: part[1], message })
    const known = parts.reduce((sum, { bytes }) => sum + bytes, 0)
    return [...parts, { group: 'frame', detail: '', bytes: request.bytes - known }]
  }

  #count([, bytes, , parts]: RecordedMessage, sign: 1 | -1): void {
    this.#messageBytes += sign * bytes
    for (const part of parts) this.#groups.add(describePart(part), sign * part[1])
  }

  /** Returns what changed in the part of the request that the previous one also had. */
  #findChange(request: RecordedRequest, kept: number): RequestRow['change'] {
    const previous = this.#previous
    if (previous === undefined) return undefined
    if (JSON.stringify(previous.system) !== JSON.stringify(request.system)) return 'system'
    if (previous.tools !== request.tools) return 'tools'
    return kept < previous.kept + previous.messages.length ? 'messages' : undefined
  }
}

interface Sizes {
  readonly systemBytes: number
  readonly toolBytes: number
  readonly keptMessageBytes: number
  readonly kept: number
}

/** Returns the bytes before the first part that changed. Within system prompt and tools, whole parts are compared. */
function keptBytesOf(change: RequestRow['change'], { system }: RecordedRequest, sizes: Sizes): number {
  if (change === 'system') return 0
  const systemEnd = '{"system":['.length + sizes.systemBytes + Math.max(0, system.length - 1)
  if (change === 'tools') return systemEnd
  const frame = EMPTY_REQUEST_BYTES - '{"system":['.length
  return systemEnd + sizes.toolBytes + frame + sizes.keptMessageBytes + Math.max(0, sizes.kept - 1)
}

/** Sums of bytes by group and detail. */
class GroupSums {
  readonly #sums = new Map<string, PartBytes>()
  total = 0

  add({ group, detail }: Pick<PartBytes, 'group' | 'detail'>, bytes: number): void {
    const key = `${group}\n${detail}`
    this.total += bytes
    this.#sums.set(key, { group, detail, bytes: (this.#sums.get(key)?.bytes ?? 0) + bytes })
  }

  list(): readonly PartBytes[] {
    return [...this.#sums.values()].filter(({ bytes }) => bytes !== 0)
  }
}

const GROUPS: Readonly<Record<string, string>> = {
  prompt: 'prompts',
  answer: 'answers',
  reasoning: 'reasoning',
  call: 'calls',
  result: 'results',
}
const ATTACHMENT_GROUPS: Readonly<Record<string, string>> = {
  instructions: 'instructions',
  skills: 'skills',
  deferred_tools: 'list of deferred tools',
  summary: 'summary',
}

function describePart([kind, , detail = '']: RecordedPart): Pick<PartBytes, 'group' | 'detail'> {
  if (kind !== 'attachment') return { group: GROUPS[kind] ?? 'other', detail }
  const group = Object.hasOwn(ATTACHMENT_GROUPS, detail) ? ATTACHMENT_GROUPS[detail] : undefined
  return group === undefined ? { group: 'reminders', detail } : { group, detail: '' }
}

function groupOfTool(name: string, isDeferred: 1 | undefined): string {
  if (isDeferred === 1) return 'deferred tools'
  return name.startsWith('mcp__') ? 'MCP tools' : 'built-in tools'
}

function groupTools(tools: readonly RecordedTool[]): readonly PartBytes[] {
  const sums = new GroupSums()
  for (const [name, bytes, , isDeferred] of tools)
    sums.add({ group: groupOfTool(name, isDeferred), detail: name }, bytes)
  return sums.list()
}

function sumBytes(parts: readonly (readonly [string, number, ...unknown[]])[]): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0)
}

function isRecordedTool(value: unknown): value is RecordedTool {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number'
}

function isRecordedRequest(entry: unknown): entry is RecordedRequest {
  if (!isRecord(entry)) return false
  const { at, bytes, window, kept, model, tools, system, messages } = entry
  const areNumbers = [at, bytes, window, kept].every((value) => typeof value === 'number' && value >= 0)
  if (!areNumbers || typeof model !== 'string' || typeof tools !== 'string') return false
  return isPartList(system) && Array.isArray(messages) && messages.every((message) => isPartList(message?.[3]))
}

function isPartList(value: unknown): boolean {
  return Array.isArray(value) && value.every((part) => Array.isArray(part) && typeof part[1] === 'number')
}
