import type { Readable, Writable } from 'node:stream'

/** A program to start as a service with pipes for its streams, such as an MCP server. */
export interface ServiceRequest {
  readonly command: string
  readonly args: readonly string[]
  /** Variables that are added to the few that every program needs. Nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

/** A started program, with pipes to its standard streams. */
export interface ServiceProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the program has ended, with a description for the user. */
  readonly exited: Promise<string>
  /** Ends the program and its child processes; resolves when none of them is running. */
  end(): Promise<void>
}

/** Starts services that end with this process, even if it crashes. */
export interface ServicePort {
  start(request: ServiceRequest): Promise<ServiceProcess>
  /** Ends all services that this port started. */
  dispose(): Promise<void>
}
