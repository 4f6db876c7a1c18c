import { spawn } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { checkFolder } from './check-folder.js'
import { closeAll } from './close-all.js'
import { commandEnvironment } from './command-environment.js'
import { type CommandLine, checkCommand, commandLine } from './command-line.js'
import type { CommandPrefix, Confine, Confined } from './confine.js'
import type { ProcessQuery } from './find-processes.js'
import type { HostResources } from './host-resources.js'
import { readStat } from './read-stat.js'
import { startFailure } from './start-failure.js'
import { withInherited } from './with-inherited.js'
import type { CommandFiles } from './workplace.js'

export interface LaunchOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly resources: HostResources
  readonly confine: Confine
  readonly mark: string
  /** Asked last of all; throws where the command was called off meanwhile. */
  readonly checkWanted: () => void
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Launched {
  readonly query: ProcessQuery & { readonly leader: number }
  readonly exited: Promise<Exit>
  readonly confined: Confined
  /** Of the pipe for its output. */
  readonly readEnd: number
  /** Of the file into which it tells its folder, where it may change it. */
  readonly folder: number | undefined
  /** No shell is around it any more. */
  readonly isProgramAlone: boolean
}

/** Starts a command as the leader of a session of its own: without a terminal, nothing can ask there for a password. */
export async function launchCommand(request: ShellRequest, options: LaunchOptions): Promise<Launched> {
  const { id, cwd, confinement, isAllowedByRule = false, folders } = request
  checkCommand(request)
  checkFolder(cwd)
  const { environment: host, mark } = options
  const environment = commandEnvironment({ host, requested: request.environment, cwd, mark })
  options.resources.workplace.prepare()
  const confined = await options.confine({
    ...{ id, cwd, environment, isAllowedByRule },
    ...(confinement !== undefined && { confinement }),
    ...(folders !== undefined && { folders }),
  })
  try {
    if (confined.folder !== undefined) options.resources.supervisor.watch(`folder ${confined.folder}`)
    const line = commandLine(request, confined)
    const start = { prefix: confined, ...line, cwd, env: { ...environment, ...confined.environment } }
    const started = await startInFiles(start, options)
    return { ...started, confined, isProgramAlone: line.isProgramAlone }
  } catch (error) {
    await confined.release?.()
    throw error
  }
}

interface Start extends CommandLine {
  readonly prefix: CommandPrefix
  readonly cwd: string
  readonly env: Record<string, string>
}

async function startInFiles(
  start: Start,
  { resources: { supervisor, workplace }, mark, checkWanted }: LaunchOptions,
): Promise<Omit<Launched, 'confined' | 'isProgramAlone'>> {
  const files = await workplace.open(start.text)
  const { readEnd, folder } = files
  try {
    supervisor.watch(`folder ${workplace.folder()}`)
    checkWanted()
    const { pid, exited } = await spawnIn(start, files)
    supervisor.watch(`start ${pid}`)
    // Commands that were called for together start first: all that follows can wait for them.
    await setImmediate()
    // It may be gone by now; what it left behind is in any case younger than this process.
    const { startedAt } = readStat(pid) ?? readStat(process.pid) ?? {}
    return { query: { mark, leader: pid, startedAt }, exited, readEnd, folder }
  } catch (error) {
    closeAll(readEnd, folder)
    throw error
  } finally {
    closeAll(files.writeEnd, files.command)
  }
}

async function spawnIn(
  { prefix, argv, cwd, env }: Start,
  { writeEnd, command, folder }: CommandFiles,
): Promise<{ pid: number; exited: Promise<Exit> }> {
  const [program = '', ...args] = [...prefix.argvPrefix, ...argv]
  // One pipe for both streams keeps their order.
  const handedOver = [command, folder].filter((descriptor) => descriptor !== undefined)
  const child = withInherited(prefix, ['ignore', writeEnd, writeEnd, ...handedOver], (stdio) => {
    try {
      return spawn(program, args, { cwd, env, detached: true, stdio })
    } catch (error) {
      throw startFailure(program, error)
    }
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const failed = new Promise<unknown>((resolve) => child.once('error', resolve))
  if (child.pid === undefined) throw startFailure(program, await failed)
  return { pid: child.pid, exited }
}
