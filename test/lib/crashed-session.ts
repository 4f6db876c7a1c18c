import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Message, ToolUseBlock } from '../../src/contract/messages.js'
import { finishCalls } from '../../src/session/transcript/finish-calls.js'
import { readSession } from '../../src/session/transcript/read-session.js'
import type { SessionPlace } from '../../src/session/transcript/session-place.js'

export const CALLS = 20
const STEPS = Array.from({ length: CALLS }, (_, step) => `step-${step}-`)

/** How often each thing happened to a call. */
export interface CrashTally {
  kills: number
  cutOff: number
  early: number
  unstarted: number
}

/** What is known from outside of a session that was killed. */
export interface CrashedSession {
  readonly project: string
  /** The calls that somebody saw end. */
  readonly seen: readonly string[]
  /** Steps that the model was told may have run. */
  readonly uncertain: Set<string>
  /** Calls that it was told of in words. */
  readonly noted: Set<string>
  readonly tally: CrashTally
}

/** What a killed process left, as the next one will find it. */
export function checkKilled(place: SessionPlace, session: CrashedSession): void {
  const { project, seen, uncertain, noted, tally } = session
  const record = readSession(place)
  const { messages, unfinished } = finishCalls(record)
  // Whoever saw a call end finds its result, in its place or in a note on calls without a message.
  const missed = new Set(unfinished.map(({ toolUseId }) => toolUseId))
  const known = new Set(results(messages).map((block) => block.tool_use_id))
  for (const { id } of record.earlyCalls) noted.add(id)
  expect(seen.filter((id) => missed.has(id) || !(known.has(id) || noted.has(id)))).toEqual([])
  const inputs = new Map(
    [...callsIn(messages), ...record.earlyCalls].map(({ id, input }) => [id, JSON.stringify(input)]),
  )
  for (const { toolUseId, fate } of unfinished) {
    const steps = stepsIn(inputs.get(toolUseId))
    if (fate === 'started') for (const step of steps) uncertain.add(step)
    // What is said not to have run has left no trace.
    else
      for (const step of steps)
        expect([step, traces(step, project), fate]).toEqual([step, uncertain.has(step) ? expect.any(Number) : 0, fate])
  }
  // What has left a trace is known to the model.
  const told = JSON.stringify(messages)
  expect(STEPS.filter((step) => traces(step, project) > 0 && !told.includes(step))).toEqual([])
  tally.early += record.earlyCalls.length
  tally.cutOff += unfinished.filter(({ fate }) => fate === 'started').length
  tally.unstarted += unfinished.filter(({ fate }) => fate === 'unstarted').length
}

/** What it left in the end. */
export function checkDone(
  place: SessionPlace,
  { project, uncertain }: Pick<CrashedSession, 'project' | 'uncertain'>,
): void {
  const { messages, unfinished } = finishCalls(readSession(place))
  expect(unfinished).toEqual([])
  const failed = failedSteps(messages)
  for (const label of STEPS) {
    const isExcused = uncertain.has(label) || failed.has(label)
    const count = traces(label, project)
    expect([label, isExcused ? count <= 1 : count === 1]).toEqual([label, true])
  }
  // No line was lost or spoiled on the way: every line but those that a kill has torn is an entry.
  const lines = readFileSync(place.transcript, 'utf8')
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
function traces(label: string, project: string): number {
  const inLog = linesIn(join(project, 'log')).filter((line) => line === label).length
  const inEdited = linesIn(join(project, 'edited')).filter((line) => line === label).length
  return inLog + inEdited + (existsSync(join(project, label)) ? 1 : 0)
}

export function linesIn(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

function stepsIn(text: string | undefined): readonly string[] {
  return [...new Set(text?.match(/step-\d+-/g) ?? [])]
}

function callsIn(messages: readonly Message[]): readonly ToolUseBlock[] {
  return messages.flatMap((message) =>
    message.type === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [],
  )
}

function results(messages: readonly Message[]) {
  return messages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.filter((block) => block.type === 'tool_result')
      : [],
  )
}

/** Steps whose call ended in an error that was told. */
function failedSteps(messages: readonly Message[]): ReadonlySet<string> {
  const errors = new Set(results(messages).flatMap((block) => (block.is_error === true ? [block.tool_use_id] : [])))
  return new Set(callsIn(messages).flatMap(({ id, input }) => (errors.has(id) ? stepsIn(JSON.stringify(input)) : [])))
}
