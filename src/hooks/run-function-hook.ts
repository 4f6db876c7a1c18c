import { isRecord } from '../shared/is-record.js'
import { unlessAborted } from '../shared/waiting.js'
import type { HookCall } from './hook-call.js'
import type { FunctionHook } from './hook-config.js'
import type { HookEnd } from './hook-end.js'

/** Calls a function in this process. One that never returns to the event loop cannot be ended by anybody. */
export async function runFunctionHook(hook: FunctionHook, { json, signal }: HookCall): Promise<HookEnd> {
  // A copy of its own: what the call gets must not change behind the checks.
  const work = (async () => hook.run(JSON.parse(json), { signal }))()
  const done = await unlessAborted(work, signal)
  if (done === undefined) return { type: 'stopped' }
  const { value } = done
  if (value === undefined || value === null) return { type: 'said', text: '' }
  if (typeof value === 'string') return { type: 'said', text: value }
  if (isRecord(value)) return { type: 'answered', json: value }
  return { type: 'failed', message: 'The function must return an answer object, a text or nothing.' }
}
