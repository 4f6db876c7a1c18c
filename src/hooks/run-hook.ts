import { reasonOf } from '../shared/reason-of.js'
import { NO_ANSWER } from './hook-answer.js'
import type { HookCall } from './hook-call.js'
import type { ConfiguredHook, Hook } from './hook-config.js'
import type { HookEnd } from './hook-end.js'
import type { HookEvent } from './hook-events.js'
import type { HookResult } from './hook-result.js'
import { judgeEnd } from './judge-end.js'
import { runCommandHook } from './run-command-hook.js'
import { runFunctionHook } from './run-function-hook.js'
import { runHttpHook } from './run-http-hook.js'
import { runMcpToolHook } from './run-mcp-tool-hook.js'
import { runPromptHook } from './run-prompt-hook.js'
import type { TimeLimit } from './time-limit.js'

/** Runs one hook to its end, whatever that is. Never rejects, and outlasts the limit only by the time that killing takes. */
export async function runHook(
  event: HookEvent,
  { hook, label }: ConfiguredHook,
  call: Omit<HookCall, 'signal'>,
  limit: TimeLimit,
): Promise<HookResult> {
  const report = { hookEvent: event, hook: label }
  try {
    const end = await start(hook, { ...call, signal: limit.signal })
    if (end.type === 'stopped') return limit.ended === 'timed-out' ? timedOut(report, hook) : cancelledHook(report)
    const { answer, ...judged } = judgeEnd(event, end)
    return { report: { ...report, ...judged }, answer }
  } catch (error) {
    const message = reasonOf(error) || 'It failed without saying why.'
    return { report: { ...report, outcome: 'failed', message }, answer: NO_ANSWER }
  } finally {
    limit.clear()
  }
}

/** The result of a hook that was called off, be it before it began. */
export function cancelledHook(report: { readonly hookEvent: HookEvent; readonly hook: string }): HookResult {
  return { report: { ...report, outcome: 'failed', message: 'It was cancelled.' }, answer: NO_ANSWER, cancelled: true }
}

function timedOut(report: { readonly hookEvent: HookEvent; readonly hook: string }, hook: Hook): HookResult {
  const message = `It took longer than its time limit of ${hook.timeoutMs / 1000} s and was ended.`
  return { report: { ...report, outcome: 'timed-out', message }, answer: NO_ANSWER }
}

function start(hook: Hook, call: HookCall): Promise<HookEnd> {
  switch (hook.type) {
    case 'command':
      return runCommandHook(hook, call)
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
