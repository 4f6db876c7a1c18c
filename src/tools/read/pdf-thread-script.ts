/**
 * What the thread that takes a PDF apart runs, as text, so that it needs no file of its own in any bundle. It tells how
 * many pages there are, is told which to read, and gives their text.
 */
export const PDF_THREAD_SCRIPT = `
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
