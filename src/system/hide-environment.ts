import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

/**
 * Overwrites the values of variables in the block that `/proc/PID/environ` shows, so that no program of this user can read
 * them there. `process.env` keeps them. Does nothing on systems without /proc.
 */
export function hideInitialVariables(isSecret: (name: string, value: string) => boolean): void {
  let memoryDescriptor: number | undefined
  try {
    const start = readEnvironmentStart()
    const block = readFileSync('/proc/self/environ')
    for (const { name, value, offset } of listEntries(block)) {
      if (value.length === 0 || !isSecret(name, value.toString())) continue
      const originalValue = process.env[name]
      // Setting the variable copies its value to other memory. Until then, `process.env` reads it from this block.
      if (originalValue !== undefined) process.env[name] = originalValue
      memoryDescriptor ??= openSync('/proc/self/mem', 'r+')
      writeSync(memoryDescriptor, Buffer.alloc(value.length, '*'), 0, value.length, start + offset)
    }
  } catch {
    // There is no /proc, or the kernel refuses the write: the block stays readable.
  } finally {
    if (memoryDescriptor !== undefined) closeSync(memoryDescriptor)
  }
}

/**
 * Keeps the memory of this process, with its keys, out of core dumps, which the kernel writes into the working directory, that
 * is, into the project. Programs that this process starts inherit this setting. Does nothing on systems without /proc.
 */
export function excludeMemoryFromCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // There is no /proc, or it is read-only.
  }
}

/**
 * Reads `env_start`, field 50 of /proc/PID/stat. The second field may contain blanks and brackets, so counting starts after it.
 */
function readEnvironmentStart(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47])
  if (!Number.isSafeInteger(start) || start <= 0)
    throw new Error('/proc/self/stat does not show where the environment starts.')
  return start
}

interface Entry {
  readonly name: string
  readonly value: Buffer
  /** Where the value starts in the block. */
  readonly offset: number
}

function* listEntries(block: Buffer): Generator<Entry> {
  for (let at = 0; at < block.length; ) {
    const nulIndex = block.indexOf(0, at)
    const end = nulIndex === -1 ? block.length : nulIndex
    const equals = block.indexOf('=', at)
    if (equals !== -1 && equals < end) {
      yield { name: block.toString('utf8', at, equals), value: block.subarray(equals + 1, end), offset: equals + 1 }
    }
    at = end + 1
  }
}
