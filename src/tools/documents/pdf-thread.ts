import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { ToolCallError } from '../../contract/errors.js'
import { type ExceededLimit, type WorkerLimits, watchAbort, watchLimits } from './worker-limits.js'

/** Used to resolve the path of the PDF library: the worker runs code from a string, which cannot resolve package names. */
const require = createRequire(import.meta.url)

const DEFAULT_LIMITS: WorkerLimits = { ms: 30_000, bytes: 256 * 1024 ** 2 }

interface PdfPage {
  readonly page: number
  readonly text: string
}

type Reply =
  | { readonly type: 'opened'; readonly pageCount: number }
  | { readonly type: 'read'; readonly pages: readonly PdfPage[] }
  | { readonly type: 'failed'; readonly isLocked: boolean; readonly reason: string }

interface PdfRequest {
  readonly name: string
  readonly signal: AbortSignal
  readonly limits?: WorkerLimits
  /** Chooses the pages to read, or throws. */
  readonly choose: (pageCount: number) => { readonly first: number; readonly last: number }
}

interface PdfText {
  readonly pageCount: number
  readonly pages: readonly PdfPage[]
}

/** Reads pages of a PDF in a worker with time and memory limits, because a malicious document can exhaust both. */
export async function readPdfInThread(bytes: Uint8Array, request: PdfRequest): Promise<PdfText> {
  const { signal, limits = DEFAULT_LIMITS } = request
  signal.throwIfAborted()
  // The bytes are copied, because the transfer to the worker detaches the buffer.
  const copy = Uint8Array.from(bytes)
  const thread = new Worker(PDF_THREAD_SCRIPT, {
    eval: true,
    workerData: { bytes: copy, library: require.resolve('unpdf') },
    transferList: [copy.buffer],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(limits.bytes / 1024 ** 2) },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
  const watch = watchLimits(limits, (limit) => createLimitError(request.name, limit))
  const abort = watchAbort(signal)
  try {
    return await Promise.race([exchangeMessages(thread, request), watch.exceeded, abort.promise])
  } finally {
    watch.end()
    abort.end()
    await thread.terminate()
  }
}

function exchangeMessages(thread: Worker, { name, choose }: PdfRequest): Promise<PdfText> {
  return new Promise((resolve, reject) => {
    let pageCount = 0
    thread.on('message', (reply: Reply) => {
      if (reply.type === 'failed') return reject(createUnreadableError(name, reply))
      if (reply.type === 'read') return resolve({ pageCount, pages: reply.pages })
      pageCount = reply.pageCount
      try {
        thread.postMessage(choose(pageCount))
      } catch (error) {
        reject(error)
      }
    })
    thread.on('error', (error: Error & { readonly code?: string }) => {
      const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(
        isOutOfMemory
          ? createLimitError(name, 'memory')
          : createUnreadableError(name, { isLocked: false, reason: error.message }),
      )
    })
    thread.on('exit', () =>
      reject(createUnreadableError(name, { isLocked: false, reason: 'the PDF worker ended unexpectedly' })),
    )
  })
}

function createLimitError(name: string, limit: ExceededLimit): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${name} exceeds the ${limit} limit for PDFs. Read fewer pages, or extract its text with a command such as pdftotext.`,
  )
}

function createUnreadableError(
  name: string,
  { isLocked, reason }: { isLocked: boolean; reason: string },
): ToolCallError {
  const problem = isLocked
    ? 'is protected by a password. Ask the user for a copy without one.'
    : `cannot be read as a PDF: ${reason}`
  return new ToolCallError('tool_failed', `${name} ${problem}`)
}

/**
 * The code of the PDF worker. It is a string, so that a bundle needs no separate file. The worker reports the number of pages,
 * receives the pages to read, and returns their text.
 */
const PDF_THREAD_SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')

async function open() {
  const { getDocumentProxy } = require(workerData.library)
  // No warnings on stderr, and no code generated from a document.
  return getDocumentProxy(workerData.bytes, { verbosity: 0, isEvalSupported: false })
}

async function textOf(document, number) {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\\n' : '') : ''))
    .join('')
    .trim()
}

function fail(error) {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  parentPort.postMessage({ type: 'failed', isLocked: name === 'PasswordException', reason: message })
}

open()
  .then((document) => {
    parentPort.on('message', async ({ first, last }) => {
      try {
        const pages = []
        for (let page = first; page <= last; page++) pages.push({ page, text: await textOf(document, page) })
        parentPort.postMessage({ type: 'read', pages })
      } catch (error) {
        fail(error)
      }
    })
    parentPort.postMessage({ type: 'opened', pageCount: document.numPages })
  })
  .catch(fail)
`
