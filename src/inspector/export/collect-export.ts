import { createPacer } from '../../shared/for-each-in-slices.js'
import { describeMessage, type ShownMessage } from '../data/conversation.js'
import type { RequestDetail } from '../data/request-details.js'
import type { SessionRows } from '../data/rows.js'
import type { SessionData } from '../data/session-data.js'
import { type ShownCall, showCall } from '../data/show-call.js'
import type { Workbench } from '../workbench.js'

/** A session with its texts, for a file that works without a server. */
export interface ExportedSession {
  readonly rows: SessionRows
  readonly calls: readonly (ShownCall | undefined)[]
  readonly messages: readonly ShownMessage[]
  readonly requests: readonly (RequestDetail | undefined)[]
}

/** The texts of later calls, messages and requests are left out when those of earlier ones are longer than this. */
const MAX_TEXT_BYTES = 40 * 1024 * 1024

/** Collects a session for an export. Checkpoints are left out: they belong to this machine. */
export async function collectExport(data: SessionData, { findTool }: Workbench): Promise<ExportedSession> {
  const { rows } = data
  const pace = createPacer()
  let bytes = 0
  const collect = async <T>(count: number, read: (position: number) => T): Promise<(T | undefined)[]> => {
    const values: (T | undefined)[] = []
    for (let position = 0; position < count; position++) {
      await pace()
      const value = bytes > MAX_TEXT_BYTES ? undefined : read(position)
      bytes += JSON.stringify(value)?.length ?? 0
      values.push(value)
    }
    return values
  }
  const messages = await collect(rows.messages.length, (position) => describeMessage(data.readMessage(position)))
  const calls = await collect(rows.calls.length, (position) => {
    const detail = data.readCall(position)
    return detail && showCall(detail, findTool(detail.row.tool), undefined)
  })
  const requests = await collect(rows.requests.length, (position) => data.readRequest(position))
  return { rows, calls, messages: messages.map((message) => message ?? { from: 'unknown', blocks: [] }), requests }
}
