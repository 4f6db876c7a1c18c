import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createLastingServer } from './front-server.js'
import type { Gateway } from './gateway.js'

/** Longer messages are no messages. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024

/** Serves one client over a pair of streams until it closes its end, or until the signal says so. */
export async function serveOverStdio(
  gateway: Gateway,
  streams: { readonly input: Readable; readonly output: Writable },
  { signal, onProblem }: { readonly signal: AbortSignal; readonly onProblem: (problem: string) => void },
): Promise<void> {
  const { input, output } = streams
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  const handle = serveStdio(() => createLastingServer(gateway), {
    transport: new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES }),
    onerror: ({ message }) => onProblem(message),
  })
  await ended
  await handle.close()
}
