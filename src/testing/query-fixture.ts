import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Message, UserMessage } from '../contract/messages.js'
import type { Model, ModelRequest } from '../contract/model/model.js'
import type { Script, ScriptStep } from '../providers/scripted/script.js'
import { createScriptedModel } from '../providers/scripted/scripted-model.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../runtime/runtime-options.js'
import { Conversation } from '../session/conversation.js'
import { query } from '../session/loop/query.js'
import type { QueryOptions } from '../session/loop/query-options.js'
import type { RetryClock } from '../session/loop/retry-clock.js'
import type { QueryEnd, SessionEvent } from '../session/session-event.js'
import { builtInTools } from '../tools/index.js'

/** A real folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-session-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The real runtime with the real tools, in a folder where edits need no question. */
export function realRuntime(cwd: string, options: Partial<ToolRuntimeOptions> = {}): HaftRuntime {
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd,
    homeDir: cwd,
    permissions: { mode: 'acceptEdits' },
    ...options,
  })
  onTestFinished(() => runtime.dispose())
  return runtime
}

/** A scripted model that remembers what it was asked. */
export function recordingModel(script: Script | readonly ScriptStep[]): Model & { requests: ModelRequest[] } {
  const model = createScriptedModel(script)
  const requests: ModelRequest[] = []
  return {
    ...model,
    requests,
    stream(request, options) {
      requests.push(request)
      return model.stream(request, options)
    },
  }
}

/** A clock that never waits, and remembers for how long it would have. */
export function instantClock(): RetryClock & { readonly delays: number[] } {
  const delays: number[] = []
  return {
    delays,
    random: () => 1,
    async delay(ms) {
      delays.push(ms)
    },
  }
}

export function prompt(text: string): UserMessage {
  return { type: 'user', content: text }
}

/** Reads events to their end. */
export async function drain<E, R>(
  events: AsyncGenerator<E, R>,
  onEvent: (event: E) => unknown = () => {},
): Promise<{ readonly events: readonly E[]; readonly end: R }> {
  const seen: E[] = []
  for (;;) {
    const { done, value } = await events.next()
    if (done === true) return { events: seen, end: value }
    seen.push(value)
    await onEvent(value)
  }
}

export interface QueryTrial {
  readonly end: QueryEnd
  readonly events: readonly SessionEvent[]
  readonly requests: readonly ModelRequest[]
  readonly messages: readonly Message[]
  readonly delays: readonly number[]
}

interface TrialOptions extends Partial<Omit<QueryOptions, 'runtime' | 'model'>> {
  readonly runtime: HaftRuntime
  readonly script: Script | readonly ScriptStep[]
  readonly onEvent?: (event: SessionEvent) => unknown
}

/** One prompt taken to its end by the loop. */
export async function tryQuery({ script, onEvent, ...options }: TrialOptions): Promise<QueryTrial> {
  const model = recordingModel(script)
  const retries = instantClock()
  const conversation = options.conversation ?? new Conversation([prompt('Do it.')])
  const signal = new AbortController().signal
  const { events, end } = await drain(
    query({ system: ['Be good.'], signal, retries, ...options, model, conversation }),
    onEvent,
  )
  return { events, end, requests: model.requests, messages: conversation.messages, delays: retries.delays }
}
