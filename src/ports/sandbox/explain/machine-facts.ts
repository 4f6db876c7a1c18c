import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MachineFacts } from './explain-refusals.js'

/** Facts about this machine, determined after a command failed. */
export const machineFacts: MachineFacts = {
  canWrite(path) {
    let ancestor = path
    while (!isAccessible(ancestor, constants.F_OK) && ancestor !== dirname(ancestor)) ancestor = dirname(ancestor)
    return isAccessible(ancestor, constants.W_OK)
  },

  exists: (path) => isAccessible(path, constants.F_OK),

  needsCapabilities(path) {
    const foundStats = process.getuid?.() === 0 && isAccessible(path, constants.F_OK) ? statSync(path) : undefined
    return foundStats !== undefined && foundStats.uid !== 0
  },

  isListening(port) {
    const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
    return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) =>
      readOrEmpty(file)
        .split('\n')
        .some((line) => {
          const [, local = '', , state] = line.trim().split(/\s+/)
          return local.endsWith(address) && state === LISTENING_STATE
        }),
    )
  },
}

const LISTENING_STATE = '0A'

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    // The path is missing, or not accessible even without the sandbox.
    return false
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Only Linux has these files.
    return ''
  }
}
