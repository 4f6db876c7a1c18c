import { reasonOf } from '../../../shared/reason-of.js'
import { BoundedQueue } from '../../io/bounded-queue.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { openInput } from '../../io/open-input.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS } from '../../options/settings-options.js'
import { openToolSession, type ToolSession } from '../../tool-session/open-tool-session.js'
import { warnAboutServers } from '../../tool-session/server-startup.js'
import { EventOutput } from './event-output.js'
import { type LineItem, parseRunLine } from './parse-run-line.js'
import { RunMessage } from './run-message.js'

/** Runs `tool_use` lines and writes `tool_result` lines, for programs in any language. */
export async function runRunCommand(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    events: { type: 'boolean', default: false },
  })
  const [file = '-', ...others] = positionals
  if (others.length > 0) throw new UsageError('run takes one file, or - for standard input. See haft run --help.')
  const host = await io.host()
  const input = await openInput(file, host)
  const events = values.events ? new EventOutput(host) : undefined
  const session = await openToolSession(io, host, {
    values,
    ...(events !== undefined && { onEvent: (event) => events.add(event) }),
  })
  try {
    const { hasInvalidLine } = await runStream(input, { session, host, io, ...(events !== undefined && { events }) })
    await warnAboutServers(io, session)
    return host.interruption().exitCode ?? (hasInvalidLine ? EXIT.failed : EXIT.done)
  } finally {
    await session.dispose()
  }
}

/** Maximum bytes of input that are read ahead while a message is running. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** Added to the size of each line, so that many short lines also fill the queue. */
const LINE_OVERHEAD_BYTES = 1_024

interface StreamOptions {
  readonly session: ToolSession
  readonly host: CommandHost
  readonly io: CommandIo
  readonly events?: EventOutput
}

/** Runs the calls of a stream of lines, message by message, and writes a result for each call. */
export async function runStream(
  input: AsyncIterable<Uint8Array>,
  options: StreamOptions,
): Promise<{ readonly hasInvalidLine: boolean }> {
  const { signal } = options.host.interruption()
  const lines = new BoundedQueue<InputLine>(MAX_WAITING_BYTES)
  signal.addEventListener('abort', () => lines.close(), { once: true })
  if (signal.aborted) lines.close()
  const messages = new MessageRunner(options)
  void readLinesInto(input, lines, (error) => {
    messages.hasInvalidLine = true
    warn(options.io, `reading the input failed: ${reasonOf(error)}`)
  })
  for await (const line of lines) {
    if (signal.aborted) break
    await messages.handleLine(line)
  }
  await messages.endMessage()
  return messages
}

async function readLinesInto(
  input: AsyncIterable<Uint8Array>,
  lines: BoundedQueue<InputLine>,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    for await (const line of readLines(input)) await lines.push(line, line.bytes + LINE_OVERHEAD_BYTES)
  } catch (error) {
    onError(error)
  }
  lines.close()
}

class MessageRunner {
  readonly #options: StreamOptions
  readonly #seenIds = new Set<string>()
  #currentMessage: RunMessage | undefined
  hasInvalidLine = false

  constructor(options: StreamOptions) {
    this.#options = options
  }

  async handleLine(line: InputLine): Promise<void> {
    if ('problem' in line) return this.#add({ problem: line.problem }, line.number)
    if (line.text.trim() === '') return this.endMessage()
    const { isMessage, items } = parseRunLine(line.text)
    if (isMessage) await this.endMessage()
    for (const item of items) await this.#add(item, line.number)
    if (isMessage) await this.endMessage()
  }

  async endMessage(): Promise<void> {
    const message = this.#currentMessage
    this.#currentMessage = undefined
    await message?.end()
  }

  #add(item: LineItem, line: number): Promise<void> {
    const checkedItem = this.#rejectReusedId(item)
    const message = this.#openMessage()
    if ('toolUse' in checkedItem) return message.add(checkedItem.toolUse)
    this.hasInvalidLine = true
    const text = `line ${line} ${checkedItem.problem}`
    return message.addLine(`${JSON.stringify({ type: 'error', line, message: text })}\n`)
  }

  #rejectReusedId(item: LineItem): LineItem {
    if ('problem' in item) return item
    const { id } = item.toolUse
    if (this.#seenIds.has(id)) return { problem: `reuses the id ${JSON.stringify(id)}` }
    this.#seenIds.add(id)
    return item
  }

  #openMessage(): RunMessage {
    if (this.#currentMessage !== undefined) return this.#currentMessage
    const { session, host, events } = this.#options
    if (events !== undefined) events.messageNumber++
    const { signal } = host.interruption()
    this.#currentMessage = new RunMessage(session.runtime, { signal, write: (text) => host.write(text) })
    return this.#currentMessage
  }
}
