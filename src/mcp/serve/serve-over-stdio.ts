import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Gateway } from './gateway.js'
import { createSessionServer } from './gateway-server.js'

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024

/** Serves one client over a pair of streams until it disconnects or the signal is aborted. */
export async function serveOverStdio(
  gateway: Gateway,
  streams: { readonly input: Readable; readonly output: Writable },
  { signal, onProblem }: { readonly signal: AbortSignal; readonly onProblem: (problem: string) => void },
): Promise<void> {
  const { input, output } = streams
  const inputEnd = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  const handle = serveStdio(() => createSessionServer(gateway), {
    transport: new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES }),
    onerror: ({ message }) => onProblem(message),
  })
  await inputEnd
  await handle.close()
}
