import type { FixtureClock } from '../calls/fixture-clock.js'
import type { FilesPort } from '../contract/ports/files.js'
import type { SearchPort } from '../contract/ports/search.js'

const SLOW_OPERATIONS = ['stat', 'realPath', 'read', 'readLines', 'write', 'writeAll', 'glob'] as const
const CHANGING_OPERATIONS: ReadonlySet<string> = new Set(['write', 'writeAll'])

/** Creates real ports that sleep before and after each operation, so that a test can intervene at any point. */
export function createSlowPorts(
  ports: { readonly files: FilesPort; readonly search: SearchPort },
  clock: FixtureClock,
  pauses: readonly number[],
  onChange: () => void,
): { readonly files: FilesPort; readonly search: SearchPort } {
  let pauseIndex = 0
  const pause = () => clock.sleep(pauses[pauseIndex++ % pauses.length] ?? 1)
  const withPauses =
    <A extends readonly unknown[], T>(operation: (...args: A) => Promise<T>, isChange = false) =>
    async (...args: A): Promise<T> => {
      if (isChange) onChange()
      await pause()
      try {
        return await operation(...args)
      } finally {
        await pause()
      }
    }
  const slowOperations = SLOW_OPERATIONS.map((name) => {
    const operation = ports.files[name] as (...args: readonly unknown[]) => Promise<unknown>
    return [name, withPauses(operation, CHANGING_OPERATIONS.has(name))]
  })
  return {
    files: { ...ports.files, ...Object.fromEntries(slowOperations) },
    search: { search: withPauses(ports.search.search) },
  }
}
