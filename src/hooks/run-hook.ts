import { reasonOf } from '../shared/reason-of.js'
import { clipText } from './clip-text.js'
import { type HookAnswer, NO_ANSWER } from './hook-answer.js'
import type { HookCall } from './hook-call.js'
import type { ConfiguredHook, Hook } from './hook-config.js'
import type { HookEnd } from './hook-end.js'
import type { HookEvent } from './hook-events.js'
import { failedReport, type HookReport, type HookResult } from './hook-result.js'
import { judgeEnd } from './judge-end.js'
import { runFunctionHook } from './run-function-hook.js'
import { runHttpHook } from './run-http-hook.js'
import { runMcpToolHook } from './run-mcp-tool-hook.js'
import { runPromptHook } from './run-prompt-hook.js'
import type { TimeLimit } from './time-limit.js'

type HookName = Pick<HookReport, 'hookEvent' | 'hook'>

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
    if (end.type === 'failed') return failed(report, 'failed', clipText(end.message))
    const { answer, problems = [], ...judged } = judgeEnd(event, end)
    return { report: { ...report, ...judged, ...forUser(report, problems, answer) }, answer }
  } catch (error) {
    return failed(report, 'failed', reasonOf(error) || 'It failed without saying why.')
  } finally {
    limit.clear()
  }
}

/** The result of a hook that was called off, be it before it began. */
export function cancelledHook(name: HookName): HookResult {
  return { report: { ...name, outcome: 'failed', message: 'It was cancelled.' }, answer: NO_ANSWER, cancelled: true }
}

function timedOut(name: HookName, hook: Hook): HookResult {
  return failed(name, 'timed-out', `It took longer than its time limit of ${hook.timeoutMs / 1000} s and was ended.`)
}

function failed(...report: Parameters<typeof failedReport>): HookResult {
  return { report: failedReport(...report), answer: NO_ANSWER }
}

function forUser(
  { hookEvent, hook }: HookName,
  problems: readonly string[],
  { systemMessage }: HookAnswer,
): Pick<HookReport, 'forUser'> {
  const wrong = problems.map((problem) => `The ${hookEvent} hook ${hook} gave a wrong answer: ${problem}`)
  const words = [...wrong, ...(systemMessage === undefined ? [] : [systemMessage])]
  return words.length === 0 ? {} : { forUser: words.join('\n') }
}

async function start(hook: Hook, call: HookCall): Promise<HookEnd> {
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
