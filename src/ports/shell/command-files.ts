import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
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
import { createSystemSearchPath } from '../../system/find-program.js'
import { makePrivateTemporaryFolder } from '../../system/private-folders.js'

/** How many pipes one run of `mkfifo` creates. */
const PIPES_PER_RUN = 16
const NEW_FILE_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND
/** How many bytes are read from the end of the folder reports: more than the longest path has. */
const MAX_REPORT_BYTES = 16 * 1024

/** The descriptors in this process for one command. */
export interface CommandFiles {
  /** The end of the output pipe from which Haft reads. It is non-blocking. */
  readonly readEnd: number
  readonly writeEnd: number
  /** The file with the text of the command. Omitted if the text is an argument. */
  readonly command?: number
  /** The file to which the command writes its final working folder. Omitted if `command` is. */
  readonly folder?: number
}

/**
 * Creates files and pipes for commands in a private temporary folder. Each is unlinked once it is open, so that nothing can
 * find it by path. Node's own pipes are sockets, which cannot be opened through `/dev/stdout` and from which Vim would read.
 */
export class CommandFileMaker {
  #folder: string | undefined
  #pipes: string[] = []
  #pendingPipes: Promise<void> | undefined
  #count = 0

  /** Returns the private folder, which is created at first use. */
  getFolder(): string {
    this.#folder ??= makePrivateTemporaryFolder(tmpdir(), 'shell')
    return this.#folder
  }

  /** Starts to create pipes, so that a later `open` need not wait for them. */
  prepare(): void {
    // A failure is ignored, because `open` tries again and reports it.
    if (this.#pipes.length === 0) this.#makeMorePipes().catch(() => undefined)
  }

  /** Opens the files for one command. If the command is an argument, `text` is omitted, and only a pipe is needed. */
  async open(text?: string): Promise<CommandFiles> {
    try {
      return await this.#open(text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Some systems clean up temporary folders while programs still run.
      this.#folder = undefined
      this.#pipes = []
      return this.#open(text)
    }
  }

  async remove(): Promise<void> {
    await this.#pendingPipes?.catch(() => undefined)
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
    this.#pendingPipes ??= this.#makePipes().finally(() => {
      this.#pendingPipes = undefined
    })
    return this.#pendingPipes
  }

  async #makePipes(): Promise<void> {
    // Some systems clean up temporary folders while programs still run.
    if (this.#folder !== undefined && !existsSync(this.#folder)) this.#folder = undefined
    const paths = Array.from({ length: PIPES_PER_RUN }, () => this.#createPath())
    const env = { PATH: createSystemSearchPath(process.env.PATH) }
    try {
      const [code] = await once(spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore', env }), 'exit')
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
    return join(this.getFolder(), String(this.#count))
  }
}

/** Writes at explicit positions, so that the file offset stays at the start for the process that inherits the descriptor. */
function writeAtStart(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at)
}

/** Returns the last working folder that a command reported, if it exists; otherwise `folderBefore`. */
export function readFolderReport(descriptor: number, folderBefore: string): string {
  try {
    const { size } = fstatSync(descriptor)
    const start = Math.max(0, size - MAX_REPORT_BYTES)
    const bytes = Buffer.alloc(size - start)
    const length = readSync(descriptor, bytes, 0, bytes.length, start)
    // Each complete report ends with a newline and NUL.
    const [, reportedFolder] = bytes.toString('utf8', 0, length).match(/(?:^|.*\n\0)([^\0]*)\n\0[^\0]*$/s) ?? []
    return reportedFolder !== undefined && isAbsolute(reportedFolder) && statSync(reportedFolder).isDirectory()
      ? reportedFolder
      : folderBefore
  } catch {
    // The command removed the folder, or wrote something else to the descriptor.
    return folderBefore
  }
}

export function closeAll(...descriptors: readonly (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor)
}
