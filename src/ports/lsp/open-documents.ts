import { readFile } from 'node:fs/promises'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { decodeText } from '../../edits/text/encoding.js'
import { toUri } from './protocol.js'

const MAX_OPEN_DOCUMENTS = 50
const MAX_DOCUMENT_BYTES = 5 * 1024 ** 2

interface OpenDocument {
  readonly version: number
  readonly text: string
}

/** The documents that are open in a server, with their content on disk. */
export class OpenDocuments {
  readonly #connection: MessageConnection
  readonly #documents = new Map<string, OpenDocument>()

  constructor(connection: MessageConnection) {
    this.#connection = connection
  }

  getVersion(path: string): number | undefined {
    return this.#documents.get(path)?.version
  }

  /** Sends the current content of the file, and of the other open files, to the server. */
  async sync(path: string, language: string): Promise<void> {
    const otherPaths = [...this.#documents.keys()].filter((openPath) => openPath !== path)
    await Promise.all(otherPaths.map((openPath) => this.#update(openPath)))
    if (this.#documents.has(path)) {
      await this.#update(path)
      return
    }
    const text = await readText(path)
    const [oldest] = this.#documents.keys()
    if (oldest !== undefined && this.#documents.size >= MAX_OPEN_DOCUMENTS) await this.#close(oldest)
    this.#documents.set(path, { version: 1, text })
    const document = { uri: toUri(path), languageId: language, version: 1, text }
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument: document })
  }

  async #update(path: string): Promise<void> {
    const openDocument = this.#documents.get(path)
    const text = await readText(path).catch(() => undefined)
    // A file that was removed or has become too large is closed.
    if (text === undefined) return this.#close(path)
    if (openDocument === undefined || openDocument.text === text) return
    const version = openDocument.version + 1
    this.#documents.set(path, { version, text })
    const uri = toUri(path)
    await this.#connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    })
    await this.#connection.sendNotification('textDocument/didSave', { textDocument: { uri } })
  }

  async #close(path: string): Promise<void> {
    this.#documents.delete(path)
    await this.#connection.sendNotification('textDocument/didClose', { textDocument: { uri: toUri(path) } })
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new Error(`${path} is too large for a language server: it has more than ${MAX_DOCUMENT_BYTES} bytes.`)
  return decodeText(bytes).text
}
