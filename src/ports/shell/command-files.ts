import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'

/** How many pipes one run of `mkfifo` makes. */
const PIPES_PER_RUN = 16
const NEW_FILE_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND
/** How much of the end of the folder reports is read: more than the longest path. */
const MAX_REPORT_BYTES = 16 * 1024

/** Descriptors of this process, for one command. */
export interface CommandFiles {
  /** The end of the output pipe that Haft reads, without blocking. */
  readonly readEnd: number
  readonly writeEnd: number
  /** Contains the text of the command, unless that is among its arguments. */
  readonly command?: number
  /** The command writes its final working folder here. Left out if `command` is. */
  readonly folder?: number
}

/**
 * Makes files and pipes for commands in a private temporary folder. Each is unlinked as soon as it is open, so that nothing
 * can find it by path. Node's own pipes are sockets, which cannot be opened through `/dev/stdout` and from which Vim would read.
 */
export class CommandFileMaker {
  #folder: string | undefined
  #pipes: string[] = []
  #pipesBeingMade: Promise<void> | undefined
  #count = 0

  /** The private folder, created at first use. */
  folder(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'haft-shell-'))
    return this.#folder
  }

  /** Starts to make pipes while the caller waits for something else. */
  prepare(): void {
    // `open` tries again and reports the failure.
    if (this.#pipes.length === 0) this.#makeMorePipes().catch(() => undefined)
  }

  /** Opens the files of one command. `text` is left out if the command is among its arguments; then only a pipe is needed. */
  async open(text?: string): Promise<CommandFiles> {
    try {
      return await this.#open(text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Some systems clean up temporary folders while programs run.
      this.#folder = undefined
      this.#pipes = []
      return this.#open(text)
    }
  }

  async remove(): Promise<void> {
    await this.#pipesBeingMade?.catch(() => undefined)
    const folder = this.#folder
    this.#folder = undefined
    this.#pipes = []
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }

  async #open(text?: string): Promise<CommandFiles> {
    const pipe = await this.#takePipe()
    const openDescriptors: number[] = []
    const open = (path: string, flags: number): number => {
      const descriptor = openSync(path, flags, 0o600)
      openDescriptors.push(descriptor)
      unlinkSync(path)
      return descriptor
    }
    try {
      const readEnd = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
      openDescriptors.push(readEnd)
      const writeEnd = open(pipe, constants.O_WRONLY)
      if (text === undefined) return { readEnd, writeEnd }
      const command = open(this.#createPath(), NEW_FILE_FLAGS)
      writeAtStart(command, Buffer.from(text))
      return { readEnd, writeEnd, command, folder: open(this.#createPath(), NEW_FILE_FLAGS) }
    } catch (error) {
      closeAll(...openDescriptors)
      throw error
    }
  }

  async #takePipe(): Promise<string> {
    for (;;) {
      const path = this.#pipes.pop()
      if (path !== undefined) return path
      await this.#makeMorePipes()
    }
  }

  #makeMorePipes(): Promise<void> {
    this.#pipesBeingMade ??= this.#makePipes().finally(() => {
      this.#pipesBeingMade = undefined
    })
    return this.#pipesBeingMade
  }

  async #makePipes(): Promise<void> {
    // Some systems clean up temporary folders while programs run.
    if (this.#folder !== undefined && !existsSync(this.#folder)) this.#folder = undefined
    const paths = Array.from({ length: PIPES_PER_RUN }, () => this.#createPath())
    try {
      const [code] = await once(spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' }), 'exit')
      if (code !== 0) throw new Error(`mkfifo exited with code ${code}.`)
    } catch (error) {
      throw new ToolCallError(
        'unavailable',
        'No pipe could be made for the output: `mkfifo` failed. Check that it is installed and that the temporary folder is writable.',
        { cause: error },
      )
    }
    this.#pipes.push(...paths)
  }

  #createPath(): string {
    this.#count++
    return join(this.folder(), String(this.#count))
  }
}

/** Writes at a position, so that the file offset stays at the start for the process that inherits the descriptor. */
function writeAtStart(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at)
}

/** The last working folder that a command reported, if it exists; else `before`. */
export function readFolderReport(descriptor: number, before: string): string {
  try {
    const { size } = fstatSync(descriptor)
    const start = Math.max(0, size - MAX_REPORT_BYTES)
    const bytes = Buffer.alloc(size - start)
    const length = readSync(descriptor, bytes, 0, bytes.length, start)
    // Each report ends with a newline and NUL; an interrupted one does not.
    const [, reported] = bytes.toString('utf8', 0, length).match(/(?:^|.*\n\0)([^\0]*)\n\0[^\0]*$/s) ?? []
    return reported !== undefined && isAbsolute(reported) && statSync(reported).isDirectory() ? reported : before
  } catch {
    // The command removed the folder, or wrote something else to the descriptor.
    return before
  }
}

export function closeAll(...descriptors: readonly (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor)
}
