import { type Context, createContext, Script } from 'node:vm'

const SCRIPT = new Script('work()')
let context: Context | undefined

/**
 * Runs synchronous work and throws if it takes too long, even in a regular expression with catastrophic backtracking.
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  context ??= createContext(Object.create(null))
  const outer: unknown = context.work
  context.work = work
  try {
    return SCRIPT.runInContext(context, { timeout: limitMs }) as T
  } finally {
    context.work = outer
  }
}
