import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { CommandHost } from './command-host.js'
import { UsageError } from './usage-error.js'

/** The bytes of a file; `-` means standard input. */
export async function openInput(file: string, host: Pick<CommandHost, 'input'>): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return host.input()
  try {
    const handle = await open(file)
    if ((await handle.stat()).isDirectory()) throw new Error('it is a folder')
    return createReadStream(file, { fd: handle })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${file} cannot be read: ${reason}`, { cause: error })
  }
}
