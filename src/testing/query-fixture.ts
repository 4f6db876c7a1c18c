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
import type { ToolRuntimeOptions } from '../runtime/options.js'
import { Conversation } from '../session/conversation/conversation.js'
import type { QueryEnd, SessionEvent } from '../session/conversation/session-event.js'
import { query } from '../session/loop/query.js'
import type { QueryOptions } from '../session/loop/query-options.js'
import type { RetryClock } from '../session/loop/retry-policy.js'
import type { AskOptions, Prompt, Session } from '../session/session.js'
import { builtInTools } from '../tools/index.js'

/** A real folder that is removed after the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-session-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The real runtime with the real tools, in a folder where edits need no approval. */
export function createRealRuntime(cwd: string, options: Partial<ToolRuntimeOptions> = {}): HaftRuntime {
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd,
    permissions: { mode: 'acceptEdits' },
    ...options,
    machine: { homeDir: cwd, ...options.machine },
  })
  onTestFinished(() => runtime.dispose())
  return runtime
}

/** A scripted model that records its requests. */
export function createRecordingModel(script: Script | readonly ScriptStep[]): Model & { requests: ModelRequest[] } {
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

/** A clock that never waits and records the requested durations. */
export function createInstantClock(): RetryClock & { readonly delays: number[] } {
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

/** The end of a query and all its events. */
export interface RecordedEnd {
  readonly events: readonly SessionEvent[]
  readonly end: QueryEnd
}

async function recordQuery({ onEvent, ...options }: QueryOptions): Promise<RecordedEnd> {
  const events: SessionEvent[] = []
  const end = await query({
    ...options,
    onEvent: (event) => {
      events.push(event)
      onEvent?.(event)
    },
  })
  return { events, end }
}

/** Runs a prompt and records its events. */
export async function recordAsk(
  session: Session,
  prompt: Prompt,
  { onEvent, ...options }: AskOptions = {},
): Promise<RecordedEnd> {
  const events: SessionEvent[] = []
  const end = await session.ask(prompt, {
    ...options,
    onEvent: (event) => {
      events.push(event)
      return onEvent?.(event)
    },
  })
  return { events, end }
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
}

/** Runs one prompt to its end with the real loop. */
export async function tryQuery({ script, ...options }: TrialOptions): Promise<QueryTrial> {
  const model = createRecordingModel(script)
  const retries = createInstantClock()
  const conversation = options.conversation ?? new Conversation([prompt('Do it.')])
  const signal = new AbortController().signal
  const { events, end } = await recordQuery({
    ...{ system: ['Be good.'], signal, retries },
    ...options,
    ...{ model, conversation },
  })
  return { events, end, requests: model.requests, messages: conversation.messages, delays: retries.delays }
}
