import { ToolCallError } from '../../contract/errors.js'
import { MAX_BACKGROUND_COMMANDS } from '../../contract/limits.js'
import { HttpError, type HttpPort, type WebSocketConnection, type WebSocketMessage } from '../../contract/ports/http.js'
import type { TaskEnd, TasksPort } from '../../contract/ports/tasks.js'
import { cutText, cutTextStart } from '../../shared/cut-text.js'
import { toPlainOutput } from '../../shared/plain-output.js'

export interface SocketWatch {
  readonly url: string
  readonly description: string
  readonly signal: AbortSignal
  readonly onLine: (line: string) => void
}

/** The maximum number of characters of messages that are kept until TaskOutput reads them. */
const MAX_KEPT_CHARS = 30_000
const MAX_REASON_CHARS = 200
const NORMAL_END_CODES: ReadonlySet<number> = new Set([1000, 1001, 1005])

/** Opens a WebSocket as a background task. Each message is a line. A connection that ends is not opened again. */
export async function watchSocket(
  { http, tasks }: { readonly http: HttpPort; readonly tasks: TasksPort },
  { url, description, signal, onLine }: SocketWatch,
): Promise<{ readonly taskId: string; readonly ended: Promise<unknown> }> {
  refuseTooManyTasks(tasks)
  const messages = new ReceivedMessages()
  const connection = await openSocket(http, url, signal, (message) => {
    const line = message.text ?? `[binary message of ${message.bytes} bytes]`
    messages.add(line, message.bytes)
    onLine(line)
  })
  let isStopped = false
  const taskEnd = connection.closed.then(({ code, reason }): TaskEnd => {
    if (isStopped) return { status: 'stopped', exitCode: null }
    const statedReason = reason === '' ? '' : `: ${cutText(toPlainOutput(reason), MAX_REASON_CHARS)}`
    const status = NORMAL_END_CODES.has(code) ? 'completed' : 'failed'
    return { status, exitCode: null, summary: `The connection ended with code ${code}${statedReason}` }
  })
  const { id } = tasks.add({
    ...{ kind: 'monitor', description, ended: taskEnd },
    takeOutput: () => messages.take(),
    peek: () => messages.peek(),
    async stop() {
      isStopped = true
      connection.close()
      await taskEnd
    },
  })
  return { taskId: id, ended: taskEnd }
}

async function openSocket(
  http: HttpPort,
  url: string,
  signal: AbortSignal,
  onMessage: (message: WebSocketMessage) => void,
): Promise<WebSocketConnection> {
  try {
    return await http.openWebSocket(url, { signal, onMessage })
  } catch (error) {
    if (error instanceof HttpError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}

function refuseTooManyTasks(tasks: TasksPort): void {
  const runningTasks = tasks.list().filter(({ kind, status }) => kind !== 'agent' && status === 'running')
  if (runningTasks.length < MAX_BACKGROUND_COMMANDS) return
  throw new ToolCallError(
    'unavailable',
    `The connection was not opened: ${runningTasks.length} tasks run in the background, which is the limit. Stop some of them first, for example ${runningTasks[0]?.id}.`,
  )
}

/** Keeps the last messages within a limit: those that were not read, and those that are shown to the user. */
class ReceivedMessages {
  #shownText = ''
  #unreadText = ''
  #unreadChars = 0
  #receivedBytes = 0

  add(line: string, bytes: number): void {
    this.#receivedBytes += bytes
    this.#unreadChars += line.length + 1
    const plainLine = `${toPlainOutput(cutText(line, MAX_KEPT_CHARS))}\n`
    this.#unreadText = keepEnd(this.#unreadText + plainLine)
    this.#shownText = keepEnd(this.#shownText + plainLine)
  }

  take(): { readonly text: string; readonly receivedBytes: number } {
    const text = cutTextStart(this.#unreadText, MAX_KEPT_CHARS)
    const isCut = this.#unreadChars > MAX_KEPT_CHARS
    this.#unreadText = ''
    this.#unreadChars = 0
    return { text: isCut ? `[Earlier messages were left out.]\n${text}` : text, receivedBytes: this.#receivedBytes }
  }

  peek(): string {
    return cutTextStart(this.#shownText, MAX_KEPT_CHARS)
  }
}

/** Shortens a text only when it is twice as long as allowed, because each message would otherwise copy all of it. */
function keepEnd(text: string): string {
  return text.length > 2 * MAX_KEPT_CHARS ? cutTextStart(text, MAX_KEPT_CHARS) : text
}
