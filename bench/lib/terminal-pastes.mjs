import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRow, createTimeRow, report } from './report.mjs'

/** Pastes into the program, and compares what the model receives and what the transcript keeps. */
/** @param {import('./terminal-haft.mjs').Fixture} fixture */
export async function benchPastes(fixture) {
  const { terminal } = await fixture.startInShell()
  /** @param {number} size */
  const paste = async (size) => {
    const line = 'a line with a tab\tand ümlauts 漢字 🙂\n'
    const text = `${line.repeat(Math.ceil(size / line.length)).slice(0, size)}end of ${size}`
    const start = performance.now()
    terminal.type(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`)
    await terminal.waitFor(/Pasted text/)
    const time = performance.now() - start
    terminal.type('\r')
    // A paste that is larger than the context window is summarised before the model answers.
    await terminal.waitFor(() => {
      const shownText = terminal.readText()
      const isAnswered =
        shownText.includes(`Received ${text.length} characters.`) || shownText.includes('was summarised')
      return isAnswered && !shownText.includes('Esc to interrupt')
    })
    const hash = createHash('sha256').update(text).digest('hex')
    const isReceived = (await readTexts(fixture.url)).some((sentText) => hashEnd(sentText, text.length) === hash)
    const isSaved = fixture.readTranscripts().some((savedText) => hashEnd(savedText, text.length) === hash)
    return { time, differs: isReceived ? 0 : 1, savedDiffers: isSaved ? 0 : 1 }
  }
  const smallPaste = await paste(100_000)
  const largePaste = await paste(1_000_000)
  terminal.close()
  report('Pastes into haft, by their sha256', [
    createRow('100 kB: the model receives another text', smallPaste.differs, 0, ''),
    createRow('100 kB: the transcript has another text', smallPaste.savedDiffers, 0, ''),
    createRow('1 MB: the model receives another text', largePaste.differs, 0, ''),
    createRow('1 MB: the transcript has another text', largePaste.savedDiffers, 0, ''),
    createTimeRow('1 MB: time until it is shown', largePaste.time, 200),
  ])
}

/** @param {string} text @param {number} length */
function hashEnd(text, length) {
  return createHash('sha256').update(text.slice(-length)).digest('hex')
}

/** Returns the texts of all requests. @param {string} url @returns {Promise<string[]>} */
async function readTexts(url) {
  const response = await new Promise((resolve) => get(`${url}/requests`, resolve))
  /** @type {any} */
  const requests = await json(response)
  return requests.flatMap((/** @type {any} */ { body }) =>
    body.messages.flatMap((/** @type {any} */ { content }) =>
      typeof content === 'string' ? [content] : content.flatMap((/** @type {any} */ part) => part.text ?? []),
    ),
  )
}
