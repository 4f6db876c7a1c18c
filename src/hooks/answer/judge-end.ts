import { isRecord } from '../../shared/is-record.js'
import { type HookEvent, takesTextAsContext } from '../config/hook-events.js'
import type { HookEnd } from './hook-answer.js'
import { clipText, type HookAnswer, NO_ANSWER } from './hook-answer.js'
import type { HookReport } from './merge-results.js'
import { readAnswer, toObjection } from './read-answer.js'

export interface HookEndJudgement {
  readonly outcome: HookReport['outcome']
  readonly message?: string
  /** Why fields of the answer were ignored or counted as ask. */
  readonly problems?: readonly string[]
  readonly answer: HookAnswer
}

/** Converts the end of a hook into an answer. Only recognised fields and values decide anything. */
export function judgeEnd(event: HookEvent, end: Exclude<HookEnd, { type: 'stopped' | 'failed' }>): HookEndJudgement {
  switch (end.type) {
    case 'answered':
      return judgeAnswer(event, end.json)
    case 'text':
      return judgeText(event, end.text.trim())
    case 'blocked': {
      const message = clipText(end.message.trim()) || 'A hook blocked this without giving a reason.'
      return { outcome: 'blocked', message, answer: toObjection(event, message) }
    }
  }
}

function judgeText(event: HookEvent, text: string): HookEndJudgement {
  if (text === '') return { outcome: 'ok', answer: NO_ANSWER }
  const json = text.startsWith('{') ? parseObject(text) : undefined
  if (json !== undefined) return judgeAnswer(event, json)
  const message = clipText(text)
  if (takesTextAsContext(event)) return { outcome: 'ok', message, answer: { additionalContext: message } }
  if (!text.startsWith('{')) return { outcome: 'ok', message, answer: NO_ANSWER }
  return { outcome: 'ok', message: `${BROKEN_JSON_NOTE}\n${message}`, problems: [BROKEN_JSON_NOTE], answer: NO_ANSWER }
}

const BROKEN_JSON_NOTE = 'The output looks like JSON but is not valid JSON, so it counts as text.'

function judgeAnswer(event: HookEvent, json: Readonly<Record<string, unknown>>): HookEndJudgement {
  const { answer, problems } = readAnswer(event, json)
  const isObjection =
    answer.blocked !== undefined || answer.stop !== undefined || answer.permission?.behavior === 'deny'
  const contextForUser = answer.suppressOutput === true ? undefined : answer.additionalContext
  const shownText = isObjection ? (answer.blocked ?? answer.permission?.reason ?? answer.stop) : contextForUser
  const message = [...(shownText === undefined ? [] : [shownText]), ...problems].join('\n')
  return {
    outcome: isObjection ? 'blocked' : 'ok',
    ...(message === '' ? {} : { message }),
    ...(problems.length === 0 ? {} : { problems }),
    answer,
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // Not JSON: plain text.
    return undefined
  }
}
