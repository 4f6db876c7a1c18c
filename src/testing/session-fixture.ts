import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import { type ResumedSession, resumeSession } from '../session/transcript/resume/resume-session.js'
import { openTranscript } from '../session/transcript/write/open-transcript.js'
import type { Transcript } from '../session/transcript/write/transcript.js'
import { createTemporaryFolder } from './query-fixture.js'

/** A home folder that stores sessions until the test has ended. */
export interface SessionHome {
  readonly home: string
  readonly projectRoot: string
  readonly problems: string[]
  open(sessionId?: string): Transcript
  resume(session: string): Promise<ResumedSession>
}

export async function createSessionHome(): Promise<SessionHome> {
  const folder = await createTemporaryFolder()
  const home = join(folder, 'home')
  const projectRoot = join(folder, 'project')
  mkdirSync(home)
  const problems: string[] = []
  const options = { home, projectRoot, cwd: projectRoot, onProblem: (problem: string) => problems.push(problem) }
  const closeAfterTest = <T extends Transcript>(transcript: T): T => {
    onTestFinished(() => transcript.close())
    return transcript
  }
  return {
    ...{ home, projectRoot, problems },
    open: (sessionId) => closeAfterTest(openTranscript({ ...options, ...(sessionId !== undefined && { sessionId }) })),
    async resume(session) {
      const resumedSession = await resumeSession(session, options)
      closeAfterTest(resumedSession.transcript)
      return resumedSession
    },
  }
}

export const createUserMessage = (text: string): UserMessage => ({ type: 'user', content: text })

export const createAssistantMessage = (text: string): AssistantMessage => ({
  type: 'assistant',
  content: [{ type: 'text', text }],
})

export function createCallMessage(...ids: readonly string[]): AssistantMessage {
  return {
    type: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })),
  }
}

export const createResult = (id: string, content = `result of ${id}`): ToolResultBlock => ({
  ...{ type: 'tool_result', tool_use_id: id, content },
})

export const createResultMessage = (...ids: readonly string[]): UserMessage => ({
  ...{ type: 'user', content: ids.map((id) => createResult(id)) },
})

export const createQueuedEvent = (id: string, input: unknown = { command: id }): ToolEvent => ({
  ...{ type: 'call-queued', toolUseId: id, at: 1, toolName: 'Bash', input },
})
export const createStartedEvent = (id: string): ToolEvent => ({ type: 'call-started', toolUseId: id, at: 2 })
export const createEndedEvent = (id: string): ToolEvent => ({
  type: 'call-ended',
  toolUseId: id,
  at: 3,
  result: createResult(id),
})
export const createAskedEvent = (id: string): ToolEvent => ({
  ...{ type: 'permission-asked', toolUseId: id, at: 2, message: 'Allow Bash?', suggestions: [] },
})
export const createAllowedEvent = (id: string): ToolEvent => ({
  ...{ type: 'permission-decided', toolUseId: id, at: 2, behavior: 'allow', reason: { type: 'person', text: 'yes' } },
})

/** Writes messages and events in the order in which they arrive. */
export function write(transcript: Transcript, ...steps: readonly (Message | ToolEvent)[]): void {
  for (const step of steps) {
    if ('toolUseId' in step) transcript.onToolEvent(step)
    else transcript.log.messageAdded(step as Message, {})
  }
}

export function readLines(transcript: Transcript): readonly Record<string, unknown>[] {
  return readFileSync(transcript.path ?? '', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
