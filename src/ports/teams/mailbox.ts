import { closeSync, constants, existsSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { TeamMessage } from '../../contract/ports/teams.js'
import { isRecord } from '../../shared/is-record.js'
import { withFileLock } from '../../system/file-lock.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { syncFile } from '../../system/sync-to-disk.js'
import { writeFileAtomically, writeFileAtomicallySync } from '../../system/write-file-atomically.js'

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const NEWLINE = 10
/** Delivered messages are removed from a file that is larger. */
const TRIM_ABOVE_BYTES = 256 * 1024
/** How many ids of removed messages are kept. A sender repeats only its last message. */
const MAX_KEPT_IDS = 500

/** A message without what the mailbox adds. */
export type NewMail = Omit<TeamMessage, 'index' | 'sequence'>

/** What a file contains, up to `bytesRead`. */
interface MailboxContent {
  /** The first bytes of the file. They differ after it was replaced, unlike its inode, which may be used again. */
  head: Buffer
  bytesRead: number
  lastIndex: number
  /** The last sequence number of each sender. */
  readonly sequences: Map<string, number>
  /** The ids of the messages, with their senders. */
  readonly ids: Set<string>
  messages: TeamMessage[]
}

/**
 * The messages for one member, as lines of a file. Any process adds lines under the lock of the file; each is on the disk
 * before `append` returns. One process reads them and records in a second file up to which index they are delivered.
 * Readers need no lock: a line counts when its newline is written.
 */
export class Mailbox {
  readonly #file: string
  readonly #deliveredFile: string
  readonly #isDurable: boolean
  #content: MailboxContent | undefined
  /** What this process has acknowledged, even if the disk could not be written. */
  #acknowledgedIndex = 0

  constructor(file: string, isDurable: boolean) {
    this.#file = file
    this.#deliveredFile = `${file}.delivered`
    this.#isDurable = isDurable
  }

  /** Creates the file before the member is known: a missing file shows that the member has left. */
  create(): void {
    if (!existsSync(this.#file)) this.#forget()
    closeSync(openSync(this.#file, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600))
  }

  /** What an earlier member of this name has received says nothing about the messages of a new file. */
  #forget(): void {
    rmSync(this.#deliveredFile, { force: true })
    this.#acknowledgedIndex = 0
    this.#content = undefined
  }

  /** Adds a message unless one with its id was added before. `maxUnread` limits how many may wait. */
  async append(mail: NewMail, maxUnread: number): Promise<'added' | 'duplicate' | 'full' | 'absent'> {
    if (!existsSync(this.#file)) return 'absent'
    return await withFileLock(this.#file, async (checkLockHeld) => {
      if (!existsSync(this.#file)) return 'absent'
      this.#completeLastLine()
      const { ids, lastIndex, sequences } = this.#read()
      if (ids.has(toKey(mail))) return 'duplicate'
      if (lastIndex - this.deliveredIndex >= maxUnread) return 'full'
      const message: TeamMessage = {
        ...mail,
        index: lastIndex + 1,
        sequence: (sequences.get(mail.from.toLowerCase()) ?? 0) + 1,
      }
      await checkLockHeld()
      this.#write(`${JSON.stringify(message)}\n`)
      return 'added'
    })
  }

  /** The messages after the delivered ones, oldest first. */
  listUnread(): readonly TeamMessage[] {
    const { deliveredIndex } = this
    return this.#read().messages.filter(({ index }) => index > deliveredIndex)
  }

  /** The index of the last message if it is not delivered, otherwise 0. */
  get lastUnreadIndex(): number {
    const { lastIndex } = this.#read()
    return lastIndex > this.deliveredIndex ? lastIndex : 0
  }

  get unreadCount(): number {
    return Math.max(0, this.#read().lastIndex - this.deliveredIndex)
  }

  get deliveredIndex(): number {
    const read = readRegularText(this.#deliveredFile, { maxBytes: 100 })
    const index = read.kind === 'found' ? Number(read.content) : 0
    return Math.max(this.#acknowledgedIndex, Number.isSafeInteger(index) ? index : 0)
  }

  /** Records that all messages up to this one are in the transcript of the member. */
  async acknowledge(index: number): Promise<void> {
    if (index <= this.deliveredIndex) return
    this.#acknowledgedIndex = index
    const content = Buffer.from(String(index))
    writeFileAtomicallySync(this.#deliveredFile, content, { mode: 0o600, isDurable: this.#isDurable })
    if (this.#read().bytesRead > TRIM_ABOVE_BYTES) await this.#trim()
  }

  /** Replaces the file by one without the delivered messages. The numbers and ids go on. */
  async #trim(): Promise<void> {
    await withFileLock(this.#file, async (checkLockHeld) => {
      this.#completeLastLine()
      const { lastIndex, sequences, ids } = this.#read()
      const head = { lastIndex: this.deliveredIndex, sequences: [...sequences], ids: [...ids].slice(-MAX_KEPT_IDS) }
      const unread = this.listUnread()
      // The numbers of waiting messages are read again from their lines.
      if (lastIndex - this.deliveredIndex !== unread.length) return
      const lines = [{ trimmed: head }, ...unread].map((line) => `${JSON.stringify(line)}\n`)
      await writeFileAtomically(this.#file, lines.join(''), { mode: 0o600, beforeRename: checkLockHeld })
    })
  }

  /** A killed process may have left a line without its end. It counts if it is complete; otherwise readers skip it. */
  #completeLastLine(): void {
    const descriptor = openSync(this.#file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let isTorn = false
    try {
      const { size } = fstatSync(descriptor)
      const lastByte = Buffer.alloc(1)
      isTorn = size > 0 && readSync(descriptor, lastByte, 0, 1, size - 1) === 1 && lastByte[0] !== NEWLINE
    } finally {
      closeSync(descriptor)
    }
    if (isTorn) this.#write('\n')
  }

  #write(text: string): void {
    // Without O_CREAT: a mailbox that was deleted meanwhile must not come back.
    const descriptor = openSync(this.#file, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
      syncFile(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  /** Reads what was added since the last time. */
  #read(): MailboxContent {
    const known = this.#content
    const descriptor = this.#open()
    if (descriptor === undefined) return createContent()
    try {
      const head = readBytes(descriptor, 0, HEAD_BYTES)
      const isSameFile = known !== undefined && head.subarray(0, known.head.length).equals(known.head)
      const content = isSameFile ? known : createContent()
      content.head = head
      const { size } = fstatSync(descriptor)
      if (size > content.bytesRead) this.#addLines(content, readBytes(descriptor, content.bytesRead, size))
      this.#content = content
      return content
    } finally {
      closeSync(descriptor)
    }
  }

  /** Undefined if the mailbox was deleted. */
  #open(): number | undefined {
    try {
      return openSync(this.#file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #addLines(content: MailboxContent, bytes: Buffer): void {
    const end = bytes.lastIndexOf(NEWLINE) + 1
    content.bytesRead += end
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) addLine(content, line)
    const { deliveredIndex } = this
    content.messages = content.messages.filter(({ index }) => index > deliveredIndex)
  }
}

/** Long enough to contain the id of the first message, or how much was removed. */
const HEAD_BYTES = 64

function createContent(): MailboxContent {
  return { head: Buffer.alloc(0), bytesRead: 0, lastIndex: 0, sequences: new Map(), ids: new Set(), messages: [] }
}

function readBytes(descriptor: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, from))
}

function addLine(content: MailboxContent, line: string): void {
  const value = parseLine(line)
  if (!isRecord(value)) return
  if (isRecord(value.trimmed)) addHead(content, value.trimmed)
  else if (isMessage(value) && value.index > content.lastIndex) {
    content.lastIndex = value.index
    content.sequences.set(value.from.toLowerCase(), value.sequence)
    content.ids.add(toKey(value))
    content.messages.push(value)
  }
}

function addHead(content: MailboxContent, { lastIndex, sequences, ids }: Record<string, unknown>): void {
  if (typeof lastIndex === 'number') content.lastIndex = lastIndex
  if (Array.isArray(sequences))
    for (const [sender, sequence] of sequences.filter(Array.isArray)) content.sequences.set(sender, sequence)
  if (Array.isArray(ids)) for (const id of ids) content.ids.add(String(id))
}

/** Different senders may choose the same id. */
function toKey({ from, id }: Pick<TeamMessage, 'from' | 'id'>): string {
  return `${from.toLowerCase()} ${id}`
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // An incomplete line of a killed process, or the empty text after the last newline.
    return undefined
  }
}

function isMessage(value: Record<string, unknown>): value is Record<string, unknown> & TeamMessage {
  const texts = [value.id, value.team, value.from, value.to, value.text, value.summary ?? '']
  return (
    texts.every((text) => typeof text === 'string') &&
    (value.kind === 'message' || value.kind === 'idle') &&
    [value.index, value.sequence].every((number) => Number.isSafeInteger(number)) &&
    typeof value.at === 'number'
  )
}
