import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { ToolCallError } from '../../contract/errors.js'

/** A thread finds nothing by its name. */
const require = createRequire(import.meta.url)

/** What one document may take. */
export interface PdfLimits {
  readonly ms: number
  readonly bytes: number
}

const LIMITS: PdfLimits = { ms: 30_000, bytes: 1024 ** 3 }
const LOOK_EVERY_MS = 50

interface PdfPage {
  readonly page: number
  readonly text: string
}

type Told =
  | { readonly type: 'opened'; readonly pageCount: number }
  | { readonly type: 'read'; readonly pages: readonly PdfPage[] }
  | { readonly type: 'failed'; readonly isLocked: boolean; readonly reason: string }

interface PdfRequest {
  readonly name: string
  readonly signal: AbortSignal
  readonly limits?: PdfLimits
  /** Says which pages to read, or throws. */
  readonly choose: (pageCount: number) => { readonly first: number; readonly last: number }
}

interface PdfText {
  readonly pageCount: number
  readonly pages: readonly PdfPage[]
}

/** Takes a PDF apart in a thread, which is ended when it takes too long or too much: a document can be made to do so. */
export async function pdfThread(bytes: Uint8Array, request: PdfRequest): Promise<PdfText> {
  const { signal, limits = LIMITS } = request
  signal.throwIfAborted()
  // Handed over, so it is a copy.
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
  const watch = watchLimits(request.name, limits)
  const abort = aborted(signal)
  try {
    return await Promise.race([conversation(thread, request), watch.exceeded, abort.happened])
  } finally {
    watch.end()
    abort.end()
    await thread.terminate()
  }
}

function conversation(thread: Worker, { name, choose }: PdfRequest): Promise<PdfText> {
  return new Promise((resolve, reject) => {
    let pageCount = 0
    thread.on('message', (told: Told) => {
      if (told.type === 'failed') return reject(unreadable(name, told))
      if (told.type === 'read') return resolve({ pageCount, pages: told.pages })
      pageCount = told.pageCount
      try {
        thread.postMessage(choose(pageCount))
      } catch (error) {
        reject(error)
      }
    })
    thread.on('error', (error: Error & { readonly code?: string }) => {
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isTooMuch ? exceeds(name, 'memory') : unreadable(name, { isLocked: false, reason: error.message }))
    })
    thread.on('exit', () => reject(unreadable(name, { isLocked: false, reason: 'its reader ended' })))
  })
}

/** The memory of the process is looked at, because no limit of a thread holds for the buffers that streams are unpacked to. */
function watchLimits(name: string, { ms, bytes }: PdfLimits) {
  const before = process.memoryUsage.rss()
  const started = performance.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const exceeded = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (performance.now() - started > ms) reject(exceeds(name, 'time'))
      else if (process.memoryUsage.rss() - before > bytes) reject(exceeds(name, 'memory'))
    }, LOOK_EVERY_MS)
  })
  return { exceeded, end: () => clearInterval(timer) }
}

function aborted(signal: AbortSignal) {
  let listener = () => {}
  const happened = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason)
    signal.addEventListener('abort', listener, { once: true })
  })
  return { happened, end: () => signal.removeEventListener('abort', listener) }
}

function exceeds(name: string, what: 'time' | 'memory'): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${name} takes more ${what} than reading a PDF may, so that it was given up. Read fewer pages, or take its text with a command such as pdftotext.`,
  )
}

function unreadable(name: string, { isLocked, reason }: { isLocked: boolean; reason: string }): ToolCallError {
  const why = isLocked ? 'is locked by a password' : `cannot be read as a PDF: ${reason}`
  return new ToolCallError('tool_failed', `${name} ${why}`)
}

/**
 * What the thread that takes a PDF apart runs, as text, so that it needs no file of its own in any bundle. It tells how
 * many pages there are, is told which to read, and gives their text.
 */
const PDF_THREAD_SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')

async function open() {
  const { getDocumentProxy } = require(workerData.library)
  // Must not print its warnings, nor make code out of what a document says.
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
