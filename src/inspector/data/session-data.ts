import { lstatSync } from 'node:fs'
import type { SessionPaths } from '../../session/transcript/storage/session-paths.js'
import type { RecordedHook } from '../../session/transcript/storage/transcript-entry.js'
import { type CallDetail, CallDetails } from './call-details.js'
import { type RequestDetail, RequestDetails } from './request-details.js'
import type { CallRow, MessageRow, RequestRow, RewriteRow, SessionRows } from './rows.js'
import { type FileLine, SessionFile, SharedRows } from './session-file.js'

/** What was added or changed since the last update. Positions are those of `SessionRows`. */
export interface SessionUpdate {
  readonly title: string | undefined
  readonly endedAt: number | undefined
  readonly agents: SessionRows['agents']
  readonly calls: readonly (readonly [position: number, row: CallRow])[]
  readonly requests: readonly (readonly [position: number, row: RequestRow])[]
  readonly messages: readonly (readonly [position: number, row: MessageRow])[]
  readonly rewrites: readonly RewriteRow[]
}

/** A hook that ran for a call. */
export interface HookRun extends RecordedHook {
  /** The position of the call. */
  readonly call: number
}

const MAX_HOOK_RUNS = 100

/** A session as recorded in its transcript and those of its sub-agents. Texts are read from the files on demand. */
export class SessionData {
  readonly paths: SessionPaths
  readonly #rows = new SharedRows()
  readonly #files: SessionFile[] = []
  readonly #knownAgents = new Set<string>()
  #refresh: Promise<void> = Promise.resolve()
  #sentRequests = 0
  #sentMessages = 0
  #openRequests = new Set<number>()

  constructor(paths: SessionPaths) {
    this.paths = paths
    this.#addFile('main', paths.transcript)
  }

  /** Reads everything that was added to the files. */
  refresh(): Promise<void> {
    this.#refresh = this.#refresh.catch(() => undefined).then(() => this.#readFiles())
    return this.#refresh
  }

  get rows(): SessionRows {
    const [main] = this.#files
    const { start, title, endedAt } = main as SessionFile
    const { agents, calls, requests, messages, rewrites } = this.#rows
    return {
      id: this.paths.id,
      title,
      cwd: typeof start?.cwd === 'string' ? start.cwd : undefined,
      projectRoot: typeof start?.projectRoot === 'string' ? start.projectRoot : undefined,
      startedAt: typeof start?.at === 'number' ? start.at : undefined,
      endedAt,
      ...{ agents, calls, requests, messages, rewrites },
    }
  }

  /** The files of the session, which change while it is open. */
  get filePaths(): readonly string[] {
    return this.#files.map(({ path }) => path)
  }

  /** Returns what changed since the last call of this method. */
  takeUpdate(): SessionUpdate {
    const { requests, messages, rewrites, calls, agents } = this.#rows
    const changedCalls = this.#files.flatMap((file) => file.takeChangedCalls())
    const changedRequests = [...this.#openRequests].filter((position) => requests[position]?.answeredAt !== undefined)
    for (const position of changedRequests) this.#openRequests.delete(position)
    for (let position = this.#sentRequests; position < requests.length; position++) {
      changedRequests.push(position)
      if (requests[position]?.answeredAt === undefined) this.#openRequests.add(position)
    }
    const newMessages = messages.slice(this.#sentMessages)
    const update: SessionUpdate = {
      title: this.rows.title,
      endedAt: this.rows.endedAt,
      agents,
      calls: pickRows(calls, [...new Set(changedCalls)]),
      requests: pickRows(requests, changedRequests),
      messages: newMessages.map((row, index) => [this.#sentMessages + index, row] as const),
      rewrites,
    }
    this.#sentRequests = requests.length
    this.#sentMessages = messages.length
    return update
  }

  /** Returns the details of a call; undefined if there is no such call. */
  readCall(position: number): CallDetail | undefined {
    const row = this.#rows.calls[position]
    const lines = this.#rows.callLines[position]
    return row === undefined || lines === undefined ? undefined : new CallDetails(lines).read(row)
  }

  /** Lists the last hooks that ran for calls, newest first. */
  listHookRuns(): readonly HookRun[] {
    const runs: HookRun[] = []
    for (let position = this.#rows.calls.length - 1; position >= 0 && runs.length < MAX_HOOK_RUNS; position--) {
      if ((this.#rows.calls[position]?.hookCount ?? 0) === 0) continue
      for (const hook of this.readCall(position)?.trace?.hooks ?? []) runs.push({ call: position, ...hook })
    }
    return runs
  }

  /** Returns a line of the conversation as it was recorded; undefined if there is no such message. */
  readMessage(position: number): unknown {
    const line = this.#rows.messageLines[position]
    return line === undefined ? undefined : readEntry(line)
  }

  /** Returns the parts of a request; undefined if there is no such request. */
  readRequest(position: number): RequestDetail | undefined {
    const row = this.#rows.requests[position]
    if (row === undefined) return undefined
    return new RequestDetails(this.#rows, this.#files[row.agent] as SessionFile).read(position)
  }

  async #readFiles(): Promise<void> {
    for (const file of this.#files) await file.refresh()
    for (const agentId of this.#files.flatMap(({ agentIds }) => agentIds)) {
      const path = this.paths.agentPathOf(agentId)
      if (this.#knownAgents.has(agentId) || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue
      this.#knownAgents.add(agentId)
      await this.#addFile(agentId, path).refresh()
    }
  }

  #addFile(id: string, path: string): SessionFile {
    const file = new SessionFile(path, this.#files.length, this.#rows)
    this.#files.push(file)
    this.#rows.agents.push({ id })
    return file
  }
}

function readEntry(line: FileLine): unknown {
  return line.file.readLine(line)
}

function pickRows<T>(rows: readonly T[], positions: readonly number[]): readonly (readonly [number, T])[] {
  return positions.flatMap((position) => {
    const row = rows[position]
    return row === undefined ? [] : [[position, row] as const]
  })
}
