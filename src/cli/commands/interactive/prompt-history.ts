import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../../../shared/is-record.js'
import type { SecretMasker } from '../../../shared/secret-masker.js'
import { readRegularText } from '../../../system/read-regular-file.js'

const MAX_FILE_BYTES = 4 * 1024 * 1024
/** A larger file, which only another program can have written, is not read. */
const MAX_READ_BYTES = 4 * MAX_FILE_BYTES
const MAX_ENTRIES = 1_000
/** Longer prompts are not kept: they are usually pasted. */
const MAX_PROMPT_CHARS = 20_000

/** The user's prompts in this folder, for the editor's history. Problems with the file are ignored. */
export class PromptHistory {
  readonly #file: string
  readonly #cwd: string
  /** Prompts from before the settings were known; undefined afterwards. */
  #pendingTexts: string[] | undefined = []
  #secrets: SecretMasker | undefined

  constructor(home: string, cwd: string) {
    this.#file = join(home, '.haft', 'prompts.jsonl')
    this.#cwd = cwd
  }

  /** Returns the prompts, oldest first. */
  read(): readonly string[] {
    return this.#readEntries()
      .filter(({ cwd }) => cwd === this.#cwd)
      .map(({ text }) => text)
      .slice(-MAX_ENTRIES)
  }

  /** Adds a prompt. Nothing is stored before `startStoring`, because the settings decide what is masked. */
  add(text: string): void {
    if (this.#pendingTexts === undefined) this.#store(text)
    else this.#pendingTexts.push(text)
  }

  /** Stores the prompts so far and those that follow, with these secrets masked. */
  startStoring(secrets: SecretMasker | undefined): void {
    const texts = this.#pendingTexts ?? []
    this.#pendingTexts = undefined
    this.#secrets = secrets
    for (const text of texts) this.#store(text)
  }

  #store(text: string): void {
    if (text.trim() === '' || text.length > MAX_PROMPT_CHARS) return
    const entry = { cwd: this.#cwd, text: this.#secrets?.maskText(text) ?? text }
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      this.#shorten()
      // The line break comes first, so that an incomplete line after a crash does not affect this one.
      appendFileSync(this.#file, `\n${JSON.stringify(entry)}`, { mode: 0o600 })
    } catch {
      // The history is a convenience: without a writable home folder there is none.
    }
  }

  #shorten(): void {
    if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) < MAX_FILE_BYTES) return
    const newestEntries = this.#readEntries().slice(-MAX_ENTRIES)
    writeFileSync(this.#file, newestEntries.map((entry) => `\n${JSON.stringify(entry)}`).join(''), { mode: 0o600 })
  }

  #readEntries(): readonly { readonly cwd: string; readonly text: string }[] {
    const readResult = readRegularText(this.#file, { maxBytes: MAX_READ_BYTES })
    return readResult.kind === 'found' ? readResult.content.split('\n').flatMap(parseEntry) : []
  }
}

function parseEntry(line: string): readonly { readonly cwd: string; readonly text: string }[] {
  try {
    const entry: unknown = JSON.parse(line)
    return isRecord(entry) && typeof entry.cwd === 'string' && typeof entry.text === 'string'
      ? [{ cwd: entry.cwd, text: entry.text }]
      : []
  } catch {
    // The line is empty, or incomplete after a crash.
    return []
  }
}
