import { Worker } from 'node:worker_threads'
import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'
import { type ExceededLimit, type WorkerLimits, watchAbort, watchLimits } from '../documents/worker-limits.js'

/** The readable content of an HTML page. */
export interface ConvertedPage {
  readonly title: string
  readonly markdown: string
}

export interface PageSource {
  /** The base of relative links. */
  readonly url: string
  /** The encoding that the server states. */
  readonly charset: string | undefined
  readonly signal: AbortSignal
  readonly limits?: WorkerLimits
}

const DEFAULT_LIMITS: WorkerLimits = { ms: 15_000, bytes: 512 * 1024 ** 2 }

/** Converts an HTML page to Markdown in a worker with limits, so that a large or malicious page blocks nothing. */
export async function convertPage(bytes: Uint8Array, { url, charset, signal, limits = DEFAULT_LIMITS }: PageSource) {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./thread/page-thread.mjs', import.meta.url), {
    workerData: { bytes, url, charset },
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(limits.bytes / 1024 ** 2) },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
  const watch = watchLimits(limits, (limit) => createLimitError(url, limit))
  const abort = watchAbort(signal)
  try {
    return await Promise.race([receivePage(worker, url), watch.exceeded, abort.promise])
  } finally {
    watch.end()
    abort.end()
    await worker.terminate()
  }
}

function receivePage(worker: Worker, url: string): Promise<ConvertedPage> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (error: Error & { readonly code?: string }) => {
      const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isOutOfMemory ? createLimitError(url, 'memory') : createFailure(url, reasonOf(error)))
    })
    worker.once('exit', () => reject(createFailure(url, 'the worker ended unexpectedly')))
  })
}

function createLimitError(url: string, limit: ExceededLimit): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `Converting ${url} to Markdown exceeds the ${limit} limit. Use raw: true to get its source.`,
  )
}

function createFailure(url: string, reason: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${url} could not be converted to Markdown: ${reason}. Use raw: true to get its source.`,
  )
}
