import { randomUUID } from 'node:crypto'
import { endProcesses, findRemainingPids, type ProcessQuery } from './end-processes.js'
import { readStat } from './process-table.js'
import { acquireSupervisor, releaseSupervisor, type Supervisor } from './supervisor.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Every process of a tree inherits this variable, and is found by it even after it has left the session. */
export const MARK_VARIABLE = 'HAFT_MARK'

/** Creates the mark of one process tree. The semicolon keeps the mark `….1;` from matching `….11;`. */
export function createTreeMark(ownerMark: string, count: number): string {
  return `${ownerMark}.${count};`
}

/**
 * The process trees that one owner starts, such as a shell port or a hook runner. Each tree is marked through its
 * environment. The supervisor ends all of them if this process is killed.
 */
export class SupervisedProcesses {
  readonly #environment: Variables
  readonly #ownerMark = randomUUID()
  #supervisor: Supervisor | undefined
  #count = 0
  #disposing: Promise<void> | undefined

  /** `environment` contains the variables that the started processes inherit. */
  constructor(environment: Variables) {
    this.#environment = environment
  }

  /** Starts the supervisor early, so that the first process need not wait for it. */
  warmUp(): void {
    if (this.#disposing !== undefined) return
    this.#acquireSupervisor().watch(`mark ${this.#ownerMark}`)
  }

  /** Creates a new mark. Start the tree with `markVariables(mark)` in its environment, then call `adopt`. */
  createMark(): string {
    this.warmUp()
    this.#count++
    return createTreeMark(this.#ownerMark, this.#count)
  }

  /**
   * Returns the variables that mark a process tree. If Haft itself runs inside a tree of another Haft, its processes get the
   * marks of both, so that either can end them.
   */
  markVariables(mark: string): Readonly<Record<string, string>> {
    return { [MARK_VARIABLE]: `${this.#environment[MARK_VARIABLE] ?? ''}${mark}` }
  }

  /** Registers the leader of a tree, which must have been spawned with `detached` and the mark. */
  adopt(leader: number, mark: string): ProcessTree {
    const supervisor = this.#acquireSupervisor()
    supervisor.watch(`start ${leader}`)
    // If the leader has already ended, its children are still younger than this process.
    const { startedAt } = readStat(leader) ?? readStat(process.pid) ?? {}
    return new ProcessTree({ mark, leader, startedAt }, supervisor)
  }

  /** Registers a folder that the supervisor removes if this process is killed. */
  removeIfKilled(folder: string): void {
    this.#acquireSupervisor().watch(`folder ${folder}`)
  }

  /** Ends every process that has a mark of this owner, and releases the supervisor. */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose()
    return this.#disposing
  }

  async #dispose(): Promise<void> {
    if (this.#count > 0 && process.platform !== 'win32') {
      await endProcesses({ mark: this.#ownerMark, startedAt: readStat(process.pid)?.startedAt })
    }
    if (this.#supervisor !== undefined) await releaseSupervisor()
  }

  #acquireSupervisor(): Supervisor {
    this.#supervisor ??= acquireSupervisor(this.#environment)
    return this.#supervisor
  }
}

/** One process with everything that it started. */
export class ProcessTree {
  readonly leader: number
  readonly #query: ProcessQuery
  readonly #supervisor: Supervisor

  constructor(query: ProcessQuery & { readonly leader: number }, supervisor: Supervisor) {
    this.leader = query.leader
    this.#query = query
    this.#supervisor = supervisor
  }

  /** Ends the processes that are still running. Returns their number; see `endProcesses`. */
  end(): Promise<number> {
    return endProcesses(this.#query)
  }

  async isRunning(): Promise<boolean> {
    return (await findRemainingPids(this.#query)).length > 0
  }

  /** Unregisters the leader. Call this when it has ended, because its process id may be reused. */
  forget(): void {
    this.#supervisor.forget(this.leader)
  }
}
