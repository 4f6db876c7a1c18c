import type { ToolDefinition } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { type RequestPart, RequestTable } from './request-table.js'
import type { RequestRow } from './rows.js'
import type { SessionFile, SharedRows } from './session-file.js'

/** The parts of a request, in the order in which they are sent. */
export interface RequestDetail {
  readonly row: RequestRow
  readonly parts: readonly RequestPart[]
  /** The parts of the previous request of the agent that differ, and where. */
  readonly changes: readonly PartChange[]
  /** The texts of the system prompt and the definitions of tools that were recorded, by hash. */
  readonly texts: Readonly<Record<string, string>>
}

/** A text or definition that differs between two requests. */
export interface PartChange {
  readonly group: string
  readonly detail: string
  readonly kind: 'added' | 'removed' | 'changed'
  /** The first byte of the part that differs, if both texts were recorded. */
  readonly firstByte?: number
}

/** Reads one request by replaying the requests of its agent up to it. */
export class RequestDetails {
  readonly #rows: SharedRows
  readonly #file: SessionFile

  constructor(rows: SharedRows, file: SessionFile) {
    this.#rows = rows
    this.#file = file
  }

  read(position: number): RequestDetail {
    const row = this.#rows.requests[position] as RequestRow
    const table = new RequestTable()
    let previousParts: readonly RequestPart[] = []
    for (const tools of this.#file.toolEntries) table.addTools(tools)
    for (let index = 0; index <= position; index++) {
      if (this.#rows.requests[index]?.agent !== row.agent) continue
      previousParts = index === position ? table.listParts() : previousParts
      const entry = this.#readLine(index)
      if (isRecord(entry)) table.add(entry, row.agent)
    }
    const parts = table.listParts()
    const changes = previousParts.length === 0 ? [] : this.#compare(previousParts, parts)
    return { row, parts, changes, texts: this.#readTexts(parts) }
  }

  #readLine(index: number): unknown {
    const line = this.#rows.requestLines[index]
    return line === undefined ? undefined : line.file.readLine(line)
  }

  #compare(before: readonly RequestPart[], after: readonly RequestPart[]): readonly PartChange[] {
    const pick = (parts: readonly RequestPart[]) => new Map(parts.flatMap((part, index) => toKeyed(part, index)))
    const [oldParts, newParts] = [pick(before), pick(after)]
    const changes: PartChange[] = []
    for (const [key, part] of newParts) {
      const { group, detail } = part
      const oldPart = oldParts.get(key)
      if (oldPart === undefined) changes.push({ group, detail, kind: 'added' })
      else if (oldPart.hash !== part.hash)
        changes.push({ group, detail, kind: 'changed', ...this.#findFirstByte(oldPart.hash, part.hash) })
    }
    for (const [key, { group, detail }] of oldParts)
      if (!newParts.has(key)) changes.push({ group, detail, kind: 'removed' })
    return changes
  }

  #findFirstByte(oldHash = '', newHash = ''): { readonly firstByte?: number } {
    const [before, after] = [this.#readText(oldHash), this.#readText(newHash)]
    if (before === undefined || after === undefined) return {}
    const [oldBytes, newBytes] = [Buffer.from(before), Buffer.from(after)]
    const limit = Math.min(oldBytes.length, newBytes.length)
    let firstByte = 0
    while (firstByte < limit && oldBytes[firstByte] === newBytes[firstByte]) firstByte++
    return { firstByte }
  }

  #readTexts(parts: readonly RequestPart[]): Readonly<Record<string, string>> {
    const entries = parts.flatMap(({ hash }) => {
      const text = hash === undefined ? undefined : this.#readText(hash)
      return hash === undefined || text === undefined ? [] : [[hash, text] as const]
    })
    return Object.fromEntries(entries)
  }

  /** Returns the JSON of a recorded part as it was sent. */
  #readText(hash: string): string | undefined {
    const line = this.#file.partLines.get(hash)
    const entry = line === undefined ? undefined : line.file.readLine(line)
    if (!isRecord(entry) || entry.value === undefined) return undefined
    return JSON.stringify(entry.value as string | ToolDefinition)
  }
}

function toKeyed(part: RequestPart, index: number): readonly (readonly [string, RequestPart])[] {
  if (part.hash === undefined) return []
  return [[part.group === 'system' ? `system ${index}` : `tool ${part.detail}`, part]]
}
