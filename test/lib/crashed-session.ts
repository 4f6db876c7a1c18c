import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Message, ToolUseBlock } from '../../src/contract/messages.js'
import { readSession } from '../../src/session/transcript/read/read-session.js'
import { finishCalls } from '../../src/session/transcript/resume/finish-calls.js'
import type { SessionPaths } from '../../src/session/transcript/storage/session-paths.js'

export const CALL_COUNT = 20
const STEP_TEXTS = Array.from({ length: CALL_COUNT }, (_, step) => `step-${step}-`)

/** Numbers of kills and of interrupted calls, over all sessions. */
export interface CrashTally {
  killCount: number
  /** Calls that had started and not ended at a kill. */
  cutOffCount: number
  /** Calls whose message had not been written at a kill. */
  earlyCount: number
  /** Calls that had not started at a kill. */
  unstartedCount: number
}

/** The externally observed facts about a session that was killed. */
export interface CrashedSession {
  readonly project: string
  /** The calls that were observed to end. */
  readonly endedCalls: readonly string[]
  /** Steps that were reported to the model as possibly run. */
  readonly uncertainSteps: Set<string>
  /** Calls that were described to the model in a text. */
  readonly describedCalls: Set<string>
  readonly tally: CrashTally
}

/** Checks the state that a killed process left, as the next process finds it. */
export function checkKilled(paths: SessionPaths, session: CrashedSession): void {
  const { project, endedCalls, uncertainSteps, describedCalls, tally } = session
  const record = readSession(paths)
  const { messages, unfinishedCalls } = finishCalls(record)
  // Every call that was observed to end has its result, in place or in a note about calls without a message.
  const unfinishedIds = new Set(unfinishedCalls.map(({ toolUseId }) => toolUseId))
  const resultIds = new Set(listResults(messages).map((block) => block.tool_use_id))
  for (const { id } of record.earlyCalls) describedCalls.add(id)
  expect(endedCalls.filter((id) => unfinishedIds.has(id) || !(resultIds.has(id) || describedCalls.has(id)))).toEqual([])
  const inputs = new Map(
    [...listCalls(messages), ...record.earlyCalls].map(({ id, input }) => [id, JSON.stringify(input)]),
  )
  for (const { toolUseId, outcome } of unfinishedCalls) {
    const steps = findSteps(inputs.get(toolUseId))
    if (outcome === 'started') for (const step of steps) uncertainSteps.add(step)
    // A call reported as not run has had no effect.
    else
      for (const step of steps)
        expect([step, countEffects(step, project), outcome]).toEqual([
          step,
          uncertainSteps.has(step) ? expect.any(Number) : 0,
          outcome,
        ])
  }
  // The messages for the model mention every call that had an effect.
  const sentText = JSON.stringify(messages)
  expect(STEP_TEXTS.filter((step) => countEffects(step, project) > 0 && !sentText.includes(step))).toEqual([])
  tally.earlyCount += record.earlyCalls.length
  tally.cutOffCount += unfinishedCalls.filter(({ outcome }) => outcome === 'started').length
  tally.unstartedCount += unfinishedCalls.filter(({ outcome }) => outcome === 'unstarted').length
}

/** Checks the effects and the transcript of a session that has finished. */
export function checkFinishedSession(
  paths: SessionPaths,
  { project, uncertainSteps }: Pick<CrashedSession, 'project' | 'uncertainSteps'>,
): void {
  const { messages, unfinishedCalls } = finishCalls(readSession(paths))
  expect(unfinishedCalls).toEqual([])
  const failedLabels = findFailedSteps(messages)
  for (const label of STEP_TEXTS) {
    const mayBeMissing = uncertainSteps.has(label) || failedLabels.has(label)
    const count = countEffects(label, project)
    expect([label, mayBeMissing ? count <= 1 : count === 1]).toEqual([label, true])
  }
  // Every line is a complete entry, even after kills in the middle of a line.
  const lines = readFileSync(paths.transcript, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  expect(lines.filter((line) => !isEntry(line))).toEqual([])
}

function isEntry(line: string): boolean {
  try {
    return typeof JSON.parse(line).type === 'string'
  } catch {
    return false
  }
}

/** How often a step has taken effect. */
function countEffects(label: string, project: string): number {
  const logLineCount = readLines(join(project, 'log')).filter((line) => line === label).length
  const editedLineCount = readLines(join(project, 'edited')).filter((line) => line === label).length
  return logLineCount + editedLineCount + (existsSync(join(project, label)) ? 1 : 0)
}

export function readLines(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

function findSteps(text: string | undefined): readonly string[] {
  return [...new Set(text?.match(/step-\d+-/g) ?? [])]
}

function listCalls(messages: readonly Message[]): readonly ToolUseBlock[] {
  return messages.flatMap((message) =>
    message.type === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [],
  )
}

function listResults(messages: readonly Message[]) {
  return messages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.filter((block) => block.type === 'tool_result')
      : [],
  )
}

/** Steps whose call ended in an error that was reported. */
function findFailedSteps(messages: readonly Message[]): ReadonlySet<string> {
  const failedCallIds = new Set(
    listResults(messages).flatMap((block) => (block.is_error === true ? [block.tool_use_id] : [])),
  )
  return new Set(
    listCalls(messages).flatMap(({ id, input }) => (failedCallIds.has(id) ? findSteps(JSON.stringify(input)) : [])),
  )
}
