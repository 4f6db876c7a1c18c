import { Worker } from 'node:worker_threads'
import { ToolCallError } from '../../contract/errors.js'
import type { HttpPort } from '../../contract/ports/http.js'
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
}

const DEFAULT_LIMITS: WorkerLimits = { ms: 15_000, bytes: 512 * 1024 ** 2 }
/** A model often reads several pages in a row, and a worker that has started and compiled its code is ten times as fast. */
const IDLE_MS = 30_000
/** After a larger page a worker is ended, because it could keep much memory. */
const MAX_KEPT_PAGE_BYTES = 1024 ** 2

/** Converts HTML pages to Markdown in workers with limits, so that a large or malicious page blocks nothing. */
export class PageConverter {
  readonly #limits: WorkerLimits
  #idleWorker: Worker | undefined
  #idleTimer: ReturnType<typeof setTimeout> | undefined

  constructor(limits: WorkerLimits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  async convert(bytes: Uint8Array, { url, charset, signal }: PageSource): Promise<ConvertedPage> {
    signal.throwIfAborted()
    const worker = this.#takeWorker()
    const watch = watchLimits(this.#limits, (limit) => createLimitError(url, limit))
    const abort = watchAbort(signal)
    let isReusable = false
    try {
      worker.postMessage({ bytes, url, charset })
      const page = await Promise.race([receivePage(worker, url), watch.exceeded, abort.promise])
      isReusable = bytes.length <= MAX_KEPT_PAGE_BYTES
      return page
    } finally {
      watch.end()
      abort.end()
      if (isReusable) this.#keepWorker(worker)
      else await worker.terminate()
    }
  }

  #takeWorker(): Worker {
    const worker = this.#idleWorker ?? startWorker(this.#limits)
    clearTimeout(this.#idleTimer)
    this.#idleWorker = undefined
    worker.ref()
    return worker
  }

  /** Keeps at most one worker, which does not keep the process alive. */
  #keepWorker(worker: Worker): void {
    worker.removeAllListeners()
    if (this.#idleWorker !== undefined) return void worker.terminate()
    worker.unref()
    worker.once('exit', () => {
      if (this.#idleWorker === worker) this.#idleWorker = undefined
    })
    this.#idleWorker = worker
    this.#idleTimer = setTimeout(() => {
      // At once, because a worker ends some time later, and the next page would be given to one that is ending.
      this.#idleWorker = undefined
      void worker.terminate()
    }, IDLE_MS).unref()
  }
}

const converters = new WeakMap<HttpPort, PageConverter>()

/** The converter for the pages of a port. Ports belong to one runtime, so runtimes share no workers. */
export function converterOf(http: HttpPort): PageConverter {
  const converter = converters.get(http) ?? new PageConverter()
  converters.set(http, converter)
  return converter
}

function startWorker({ bytes }: WorkerLimits): Worker {
  return new Worker(new URL('./thread/page-thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(bytes / 1024 ** 2) },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
}

function receivePage(worker: Worker, url: string): Promise<ConvertedPage> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners()
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
