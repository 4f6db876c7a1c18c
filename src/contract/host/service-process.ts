import type { Readable, Writable } from 'node:stream'

/** A program that runs beside this one and is talked to over its streams, such as an MCP server. */
export interface ServiceRequest {
  readonly command: string
  readonly args: readonly string[]
  /** Beside the few variables that every program needs; nothing else of ours is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

export interface ServiceProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the program itself has ended, in words for a person. */
  readonly exited: Promise<string>
  /** Ends the program and all that it started; resolves when nothing of it runs. */
  end(): Promise<void>
}

/** Starts services that die with this process, however it dies. */
export interface ServicePort {
  start(request: ServiceRequest): Promise<ServiceProcess>
  /** Ends everything that was started here. */
  dispose(): Promise<void>
}
