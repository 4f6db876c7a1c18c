import { readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns the open descriptors above the standard streams that every started program would inherit: the program that started
 * this one left them open. Node closes the first ones itself, but stops at a gap. Empty where there is no `/proc`.
 */
export function listStrayDescriptors(): readonly number[] {
  let names: readonly string[]
  try {
    names = readdirSync('/proc/self/fd')
  } catch {
    // This system has no /proc.
    return []
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor))
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    // The descriptor has been closed, like the one with which the folder was listed.
    return true
  }
}
