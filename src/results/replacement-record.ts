import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../shared/make-folder.js'
import type { ReplacementDecision } from './replacement-decision.js'

/** The file that decisions are appended to, a line of JSON each. */
export class ReplacementRecord {
  readonly #path: string
  readonly #onProblem: (error: unknown) => void
  #unwritten: ReplacementDecision[]

  constructor(path: string, onProblem: (error: unknown) => void, inherited: Iterable<ReplacementDecision> = []) {
    this.#path = path
    this.#onProblem = onProblem
    this.#unwritten = [...inherited]
  }

  /**
   * Puts the decisions into the file; those that a failing disk refused are tried again with the next ones.
   * Each request waits for it, and a line is written here before a thread would have begun.
   */
  append(decisions: readonly ReplacementDecision[]): void {
    this.#unwritten.push(...decisions)
    // The newline in front ends a line that a crash or a full disk has torn, so that it spoils no other.
    const lines = `\n${this.#unwritten.map((decision) => JSON.stringify(decision)).join('\n')}\n`
    try {
      this.#write(lines)
      this.#unwritten = []
    } catch (error) {
      this.#onProblem(error)
    }
  }

  #write(lines: string): void {
    const folder = dirname(this.#path)
    if (!existsSync(folder)) makeFolder(folder, mkdirSync)
    appendFileSync(this.#path, lines, { mode: 0o600 })
  }
}

/** The decisions of a file, in order; lines that a crash has torn are no decisions. */
export async function readReplacementRecord(path: string): Promise<readonly ReplacementDecision[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  return lines.flatMap((line) => parseDecision(line) ?? [])
}

function parseDecision(line: string): ReplacementDecision | undefined {
  if (line === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isDecision(value) ? value : undefined
  } catch {
    // Torn in the middle: it was never sent.
    return undefined
  }
}

function isDecision(value: unknown): value is ReplacementDecision {
  if (typeof value !== 'object' || value === null) return false
  const { id, chars, digest, replacement } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof chars !== 'number' || typeof digest !== 'string') return false
  return replacement === undefined || typeof replacement === 'string'
}
