import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { SUPERVISOR_SCRIPT } from './supervisor-script.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A small process that outlives this one and ends what it left running. Told again what it must know if it had to be replaced. */
export class Supervisor {
  readonly #environment: Environment
  readonly #facts = new Set<string>()
  #process: ChildProcess | undefined

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** What is to be ended: everything with a mark, and the group and session that a process leads. */
  watch(fact: `mark ${string}` | `start ${number}` | `folder ${string}`): void {
    // A line is what it reads.
    if (fact.includes('\n')) return
    const isKnown = this.#facts.has(fact)
    this.#facts.add(fact)
    if (this.#process === undefined) this.#start()
    else if (!isKnown) this.#tell(fact)
  }

  /** The process has ended, and another may get its number. */
  forget(leader: number): void {
    this.#facts.delete(`start ${leader}`)
    this.#tell(`end ${leader}`)
  }

  /** Lets it go, because nothing is left to end. */
  async dismiss(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.pid === undefined || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.ref()
    child.stdin?.end('farewell\n')
    await gone
  }

  #start(): void {
    const child = spawn('/bin/sh', ['-c', SUPERVISOR_SCRIPT], {
      cwd: '/',
      detached: true,
      env: this.#environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const forget = (): void => {
      if (this.#process === child) this.#process = undefined
    }
    child.once('error', forget)
    child.once('exit', forget)
    child.stdin?.on('error', forget)
    child.unref()
    this.#process = child
    for (const fact of this.#facts) this.#tell(fact)
    unrefStream(child.stdin)
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(`${line}\n`)
  }
}

/** An open pipe to it must not keep this process alive. */
function unrefStream(stream: object | null): void {
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
}
