import { isDoneWithin, waitUnlessAborted } from '../../../shared/waiting.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import type { AgentOptions } from '../../options/agent-options.js'

/** More than fits into any context window. */
const MAX_INPUT_BYTES = 32 * 1024 * 1024
/** Maximum time to wait for piped input, because a parent process may leave the pipe open without writing to it. */
const MAX_WAIT_MS = 3_000

export interface PromptInput {
  readonly text: string
  /** Length of the user's own prompt if piped input was added to it. */
  readonly promptLength?: number
}

/** Reads the prompt from the command line and from piped input. */
export async function readPrompt(
  { prompt, waitsForInput }: Pick<AgentOptions, 'prompt' | 'waitsForInput'>,
  io: CommandIo,
  host: CommandHost,
  { maxWaitMs = MAX_WAIT_MS }: { readonly maxWaitMs?: number } = {},
): Promise<PromptInput> {
  if (prompt === undefined && host.isInteractive)
    io.err('Type the prompt, then press Ctrl-D on an empty line; or press Ctrl-C and use haft -p "…".\n')
  if (prompt === undefined || waitsForInput) return joinPrompt(prompt, await readAll(host.input(), host))
  if (!host.hasPipedInput) return joinPrompt(prompt, '')
  const input = host.input()[Symbol.asyncIterator]()
  const firstChunk = input.next()
  if (await isDoneWithin(maxWaitMs, firstChunk))
    return joinPrompt(prompt, await readAll(prependChunk(firstChunk, input), host))
  warn(
    io,
    'no data on standard input; continuing without it. Use -p "…" - to wait for data, or </dev/null to read none.',
  )
  return joinPrompt(prompt, '')
}

function joinPrompt(prompt = '', input: string): PromptInput {
  const texts = [prompt, input].filter((text) => text.trim() !== '')
  if (texts.length === 0) throw new UsageError('no prompt. Use haft -p "…" or send it to standard input.')
  return { text: texts.join('\n\n'), ...(texts.length > 1 && { promptLength: prompt.length }) }
}

async function* prependChunk(
  firstChunk: Promise<IteratorResult<Uint8Array>>,
  input: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for (let iteration = await firstChunk; iteration.done !== true; iteration = await input.next()) yield iteration.value
}

async function readAll(input: AsyncIterable<Uint8Array>, host: CommandHost): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const { signal } = host.interruption()
  const iterator = input[Symbol.asyncIterator]()
  for (;;) {
    const iteration = (await waitUnlessAborted(iterator.next(), signal))?.value
    if (iteration === undefined || iteration.done === true) break
    const chunk = Buffer.from(iteration.value)
    bytes += chunk.length
    if (bytes > MAX_INPUT_BYTES)
      throw new UsageError(`standard input is longer than ${MAX_INPUT_BYTES} bytes; refer to a file instead.`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    // Replacing invalid bytes could change the prompt.
    throw new UsageError('standard input is not valid UTF-8; convert the prompt to UTF-8.', { cause: error })
  }
}
