import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import type { HookEnd } from '../answer/hook-answer.js'
import { clipText, type HookAnswer, NO_ANSWER } from '../answer/hook-answer.js'
import { judgeEnd } from '../answer/judge-end.js'
import { createFailedReport, type HookReport, type HookResult } from '../answer/merge-results.js'
import type { ConfiguredHook, FunctionHook, Hook } from '../config/hook-config.js'
import type { HookEvent } from '../config/hook-events.js'
import type { HookCall } from './hook-call.js'
import type { HookTimeLimit } from './hook-time-limit.js'
import { runHttpHook } from './run-http-hook.js'
import { runMcpToolHook } from './run-mcp-tool-hook.js'
import { runPromptHook } from './run-prompt-hook.js'

type HookName = Pick<HookReport, 'hookEvent' | 'hook'>

/** Runs one hook. Never rejects, and exceeds the time limit only by the time that killing takes. */
export async function runHook(
  event: HookEvent,
  { hook, label }: ConfiguredHook,
  call: Omit<HookCall, 'signal'>,
  limit: HookTimeLimit,
): Promise<HookResult> {
  const report = { hookEvent: event, hook: label }
  try {
    const end = await startHook(hook, { ...call, signal: limit.signal })
    if (end.type === 'stopped')
      return limit.endReason === 'timed-out' ? createTimedOutResult(report, hook) : createCancelledResult(report)
    if (end.type === 'failed') return createFailedResult(report, 'failed', clipText(end.message))
    const { answer, problems = [], ...judgement } = judgeEnd(event, end)
    return { report: { ...report, ...judgement, ...createUserMessage(report, problems, answer) }, answer }
  } catch (error) {
    return createFailedResult(report, 'failed', reasonOf(error) || 'It threw an error without a message.')
  } finally {
    limit.clear()
  }
}

/** Creates the result of a cancelled hook, whether or not it had started. */
export function createCancelledResult(name: HookName): HookResult {
  return { report: { ...name, outcome: 'failed', message: 'It was cancelled.' }, answer: NO_ANSWER, cancelled: true }
}

function createTimedOutResult(name: HookName, hook: Hook): HookResult {
  return createFailedResult(
    name,
    'timed-out',
    `It took longer than its time limit of ${hook.timeoutMs / 1000} s and was ended.`,
  )
}

function createFailedResult(...report: Parameters<typeof createFailedReport>): HookResult {
  return { report: createFailedReport(...report), answer: NO_ANSWER }
}

function createUserMessage(
  { hookEvent, hook }: HookName,
  problems: readonly string[],
  { systemMessage }: HookAnswer,
): Pick<HookReport, 'forUser'> {
  const problemTexts = problems.map((problem) => `The ${hookEvent} hook ${hook} returned an invalid answer: ${problem}`)
  const messages = [...problemTexts, ...(systemMessage === undefined ? [] : [systemMessage])]
  return messages.length === 0 ? {} : { forUser: messages.join('\n') }
}

async function startHook(hook: Hook, call: HookCall): Promise<HookEnd> {
  switch (hook.type) {
    case 'command': {
      const { runCommandHook } = await import('./run-command-hook.js')
      return runCommandHook(hook, call)
    }
    case 'http':
      return runHttpHook(hook, call)
    case 'mcp_tool':
      return runMcpToolHook(hook, call)
    case 'prompt':
      return runPromptHook(hook, call)
    case 'function':
      return runFunctionHook(hook, call)
  }
}

/** Calls a function in this process. A function that blocks the event loop cannot be ended. */
export async function runFunctionHook(hook: FunctionHook, { json, signal }: HookCall): Promise<HookEnd> {
  // A copy, so that the hook cannot change the input after it was checked.
  const work = (async () => hook.run(JSON.parse(json), { signal }))()
  const outcome = await waitUnlessAborted(work, signal)
  if (outcome === undefined) return { type: 'stopped' }
  const { value } = outcome
  if (value === undefined || value === null) return { type: 'text', text: '' }
  if (typeof value === 'string') return { type: 'text', text: value }
  if (isRecord(value)) return { type: 'answered', json: value }
  return { type: 'failed', message: 'The function must return an answer object, a string or nothing.' }
}
