import { close, constants, createReadStream, fstatSync, open } from 'node:fs'
import { Socket } from 'node:net'
import { isatty, ReadStream } from 'node:tty'
import { promisify } from 'node:util'
import { reasonOf } from '../../shared/reason-of.js'
import type { CommandHost } from './command.js'
import { UsageError } from './exit.js'

/** Opening or reading a pipe without a writer would block a thread and prevent the process from exiting. */
const READ_WITHOUT_BLOCKING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Opens a file as a stream of bytes; `-` means standard input. */
export async function openInput(file: string, host: Pick<CommandHost, 'input'>): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return host.input()
  try {
    const fd = await promisify(open)(file, READ_WITHOUT_BLOCKING)
    try {
      return openStream(file, fd)
    } catch (error) {
      close(fd)
      throw error
    }
  } catch (error) {
    const reason = reasonOf(error)
    throw new UsageError(`cannot read ${file}: ${reason}`, { cause: error })
  }
}

/** Opens a stream. Pipes and terminals need the event loop; files and other devices can be read directly. */
function openStream(file: string, fd: number): AsyncIterable<Uint8Array> {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) throw new Error('it is a folder')
  if (stats.isFIFO()) return new Socket({ fd, readable: true, writable: false })
  return isatty(fd) ? new ReadStream(fd) : createReadStream(file, { fd })
}
