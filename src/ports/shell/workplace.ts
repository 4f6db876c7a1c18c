import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, existsSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { closeAll } from './close-all.js'

/** One start of `mkfifo` serves many commands. */
const BATCH = 16
const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND

/** Descriptors of this process, for one command. */
export interface CommandFiles {
  /** Of the pipe for its output; reading does not block. */
  readonly readEnd: number
  readonly writeEnd: number
  /** Holds the text of the command, where it is handed over so. */
  readonly command?: number
  /** Takes the folder in which it ends, where that may be another one. */
  readonly folder?: number
}

/**
 * A private folder in which files and pipes are made for commands. Each loses its name as soon as it is open, so that
 * nothing can find it by path. Pipes of Node would be sockets, which `/dev/stdout` cannot open and an editor can read.
 */
export class Workplace {
  #folder: string | undefined
  #pipes: string[] = []
  /** Those that are being made, the first one first. */
  #coming: string[] = []
  #making: Promise<void> | undefined
  #count = 0

  /** The folder, made when first asked for. */
  folder(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'haft-shell-'))
    return this.#folder
  }

  /** Begins to make what `open` needs, while something else is waited for. */
  prepare(): void {
    // Who opens it is told of the failure, after another try.
    if (this.#pipes.length === 0) this.#morePipes().catch(() => undefined)
  }

  /** Without a text there are no files, only the pipe. */
  async open(command?: string): Promise<CommandFiles> {
    try {
      return await this.#open(command)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Something cleans up temporary folders.
      this.#folder = undefined
      this.#pipes = []
      this.#coming = []
      return this.#open(command)
    }
  }

  async remove(): Promise<void> {
    await this.#making?.catch(() => undefined)
    const folder = this.#folder
    this.#folder = undefined
    this.#pipes = []
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }

  async #open(command?: string): Promise<CommandFiles> {
    const pipe = await this.#takePipe()
    const folder = this.folder()
    const opened: number[] = []
    const open = (path: string, flags: number): number => {
      const descriptor = openSync(path, flags, 0o600)
      opened.push(descriptor)
      return descriptor
    }
    try {
      const readEnd = open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
      const writeEnd = open(pipe, constants.O_WRONLY)
      unlinkSync(pipe)
      if (command === undefined) return { readEnd, writeEnd }
      const openFile = (content: string): number => {
        const path = this.#newPath(folder)
        const descriptor = open(path, NEW_FILE)
        unlinkSync(path)
        // At a position, so that whoever reads it begins at the start.
        const bytes = Buffer.from(content)
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at)
        return descriptor
      }
      return { readEnd, writeEnd, command: openFile(command), folder: openFile('') }
    } catch (error) {
      closeAll(...opened)
      throw error
    }
  }

  async #takePipe(): Promise<string> {
    for (;;) {
      const path = this.#pipes.pop() ?? this.#takeComing()
      if (path !== undefined) return path
      await this.#morePipes()
    }
  }

  /**
   * One that is made already, though nobody has said so yet: word of it waits for all that is to be done before. The last
   * one shows that the others are finished; it is itself looked at once more by `mkfifo`, and left to it.
   */
  #takeComing(): string | undefined {
    const last = this.#coming.at(-1)
    if (last === undefined || this.#coming.length === 1 || !existsSync(last)) return undefined
    return this.#coming.shift()
  }

  #morePipes(): Promise<void> {
    this.#making ??= this.#makePipes().finally(() => {
      this.#making = undefined
    })
    return this.#making
  }

  async #makePipes(): Promise<void> {
    // Something cleans up temporary folders.
    if (this.#folder !== undefined && !existsSync(this.#folder)) this.#folder = undefined
    const folder = this.folder()
    this.#coming = Array.from({ length: BATCH }, () => this.#newPath(folder))
    try {
      const [code] = await once(spawn('mkfifo', ['-m', '600', ...this.#coming], { stdio: 'ignore' }), 'exit')
      if (code !== 0) throw new Error(`It ended with ${code}.`)
    } catch (error) {
      this.#coming = []
      throw new ToolCallError('unavailable', 'No pipe could be made for the output: `mkfifo` failed.', { cause: error })
    }
    this.#pipes.push(...this.#coming)
    this.#coming = []
  }

  #newPath(folder: string): string {
    this.#count++
    return join(folder, String(this.#count))
  }
}
