import { decodeText } from '../../edits/text/encoding.js'
import { toUri } from '../../shared/file-uri.js'
import { readRegularFile } from '../../system/read-regular-file.js'
import { type ProjectChanges, readStamp } from './project-files.js'
import type { RpcConnection } from './rpc-connection.js'

/**
 * The document of the oldest request is closed first. The server then reads the file itself, and few open documents keep it
 * fast: with 20 of them, TypeScript takes twice as long to open another one.
 */
const MAX_OPEN_DOCUMENTS = 8
const MAX_DOCUMENT_BYTES = 5 * 1024 ** 2

interface OpenDocument {
  readonly version: number
  readonly text: string
  /** See `readStamp`. */
  readonly stamp: string
}

const FILE_CREATED = 1
const FILE_CHANGED = 2
const FILE_DELETED = 3

/** The documents that are open in a server. They always have the content that is on disk. */
export class OpenDocuments {
  readonly #connection: RpcConnection
  readonly #documents = new Map<string, OpenDocument>()

  constructor(connection: RpcConnection) {
    this.#connection = connection
  }

  isOpen(path: string): boolean {
    return this.#documents.has(path)
  }

  getVersion(path: string): number | undefined {
    return this.#documents.get(path)?.version
  }

  /** Tells the server what changed on disk: in files that are open, and in all others. */
  sync({ created, changed, deleted }: ProjectChanges): void {
    for (const path of [...this.#documents.keys()]) this.#update(path)
    const changes = [
      ...created.map((path) => ({ uri: toUri(path), type: FILE_CREATED })),
      ...changed.map((path) => ({ uri: toUri(path), type: FILE_CHANGED })),
      ...deleted.map((path) => ({ uri: toUri(path), type: FILE_DELETED })),
    ]
    if (changes.length > 0) this.#connection.notify('workspace/didChangeWatchedFiles', { changes })
  }

  /** Opens a document. One that is open already counts as newest again. */
  open(path: string, language: string): void {
    const openDocument = this.#documents.get(path)
    this.#documents.delete(path)
    if (openDocument !== undefined) {
      this.#documents.set(path, openDocument)
      return
    }
    const stamp = readStamp(path)
    const text = readText(path)
    this.#documents.set(path, { version: 1, text, stamp })
    const textDocument = { uri: toUri(path), languageId: language, version: 1, text }
    this.#connection.notify('textDocument/didOpen', { textDocument })
  }

  /** Closes the documents of the oldest requests. */
  closeOldest(): void {
    for (const path of [...this.#documents.keys()].slice(0, -MAX_OPEN_DOCUMENTS)) this.#close(path)
  }

  /** Sends the content again as a new version, so that the server examines the document again. */
  touch(path: string): void {
    const openDocument = this.#documents.get(path)
    if (openDocument !== undefined) this.#change(path, openDocument, openDocument.text, openDocument.stamp)
  }

  #update(path: string): void {
    const openDocument = this.#documents.get(path)
    const stamp = readStamp(path)
    if (openDocument === undefined || openDocument.stamp === stamp) return
    let text: string
    try {
      text = readText(path)
    } catch {
      // A file that was removed or has become too large is closed in the server.
      this.#close(path)
      return
    }
    if (text === openDocument.text) this.#documents.set(path, { ...openDocument, stamp })
    else this.#change(path, openDocument, text, stamp)
  }

  #change(path: string, { version: oldVersion }: OpenDocument, text: string, stamp: string): void {
    const version = oldVersion + 1
    this.#documents.set(path, { version, text, stamp })
    const uri = toUri(path)
    this.#connection.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
    this.#connection.notify('textDocument/didSave', { textDocument: { uri } })
  }

  #close(path: string): void {
    this.#documents.delete(path)
    this.#connection.notify('textDocument/didClose', { textDocument: { uri: toUri(path) } })
  }
}

function readText(path: string): string {
  const file = readRegularFile(path, { maxBytes: MAX_DOCUMENT_BYTES, isRealPath: true })
  if (file.kind === 'found') return decodeText(file.content).text
  throw new Error(
    file.kind === 'absent'
      ? `${path} does not exist.`
      : `${path} cannot be read, or has more than ${MAX_DOCUMENT_BYTES} bytes, the limit for language servers.`,
  )
}
