import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../../../shared/is-record.js'

const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_ENTRIES = 1_000
/** Longer prompts are not kept: they are usually pasted. */
const MAX_PROMPT_CHARS = 20_000

/** The prompts of the user in this folder, for the history of the editor. Problems with the file are ignored. */
export class PromptHistory {
  readonly #file: string
  readonly #cwd: string

  constructor(home: string, cwd: string) {
    this.#file = join(home, '.haft', 'prompts.jsonl')
    this.#cwd = cwd
  }

  /** Oldest first. */
  read(): readonly string[] {
    return this.#readEntries()
      .filter(({ cwd }) => cwd === this.#cwd)
      .map(({ text }) => text)
      .slice(-MAX_ENTRIES)
  }

  add(text: string): void {
    if (text.trim() === '' || text.length > MAX_PROMPT_CHARS) return
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      this.#shorten()
      appendFileSync(this.#file, `${JSON.stringify({ cwd: this.#cwd, text })}\n`, { mode: 0o600 })
    } catch {
      // The history is a convenience: without a writable home folder there is none.
    }
  }

  #shorten(): void {
    if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) < MAX_FILE_BYTES) return
    const kept = this.#readEntries().slice(-MAX_ENTRIES)
    writeFileSync(this.#file, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 })
  }

  #readEntries(): readonly { readonly cwd: string; readonly text: string }[] {
    try {
      const lines = readFileSync(this.#file, 'utf8').split('\n')
      return lines.flatMap((line) => {
        if (line === '') return []
        const entry: unknown = JSON.parse(line)
        return isRecord(entry) && typeof entry.cwd === 'string' && typeof entry.text === 'string'
          ? [{ cwd: entry.cwd, text: entry.text }]
          : []
      })
    } catch {
      return []
    }
  }
}
