import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { ToolCallError } from '../../contract/errors.js'
import type { ServicePort, ServiceProcess, ServiceRequest } from '../../contract/host/service-process.js'
import { isDoneWithin } from '../../shared/waiting.js'
import { type ProcessTree, SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { createServiceEnvironment } from './command-environment.js'
import { checkFolder, toSpawnError } from './spawn-errors.js'

/** How long a service may take to end after its stdin is closed. */
const MAX_EXIT_WAIT_MS = 500

/** A service port that also cleans up folders. */
export interface NodeServicePort extends ServicePort {
  /** Registers a folder that is removed if this process is killed. */
  removeIfKilled(folder: string): void
}

/**
 * Creates a port that runs services, such as MCP servers over stdio. Processes that they start end with them, even if Haft is
 * killed.
 */
export function createServicePort(
  environment: Readonly<Record<string, string | undefined>>,
  defaultCwd?: string,
): NodeServicePort {
  const processes = new SupervisedProcesses(environment)
  const runningServices = new Set<ServiceProcess>()
  let disposal: Promise<void> | undefined

  async function start(serviceRequest: ServiceRequest): Promise<ServiceProcess> {
    if (disposal !== undefined)
      throw new ToolCallError('unavailable', `${serviceRequest.command} was not started: services are being shut down.`)
    const request = { ...serviceRequest, cwd: serviceRequest.cwd ?? defaultCwd }
    if (request.cwd !== undefined) checkFolder(request.cwd)
    const mark = processes.createMark()
    const env = { ...createServiceEnvironment(environment), ...request.env, ...processes.markVariables(mark) }
    const child = await spawnService(request, env)
    const tree = processes.adopt(child.pid as number, mark)
    const service = createService(child, tree, () => {
      runningServices.delete(service)
      tree.forget()
    })
    runningServices.add(service)
    return service
  }

  async function dispose(): Promise<void> {
    await Promise.allSettled(Array.from(runningServices, (service) => service.end()))
    await processes.dispose()
  }

  return {
    start,
    removeIfKilled: (folder) => processes.removeIfKilled(folder),
    dispose() {
      disposal ??= dispose()
      return disposal
    },
  }
}

async function spawnService(
  { command, args, cwd }: ServiceRequest,
  env: Record<string, string>,
): Promise<ChildProcessWithoutNullStreams> {
  let child: ChildProcessWithoutNullStreams
  try {
    // In its own session, the service has no controlling terminal, so nothing in it can prompt the user.
    child = spawn(command, args, { env, detached: true, stdio: 'pipe', ...(cwd !== undefined && { cwd }) })
  } catch (error) {
    throw toSpawnError(command, error)
  }
  const startFailure = new Promise<unknown>((resolve) => child.once('error', resolve))
  if (child.pid === undefined) throw toSpawnError(command, await startFailure)
  return child
}

function createService(child: ChildProcessWithoutNullStreams, tree: ProcessTree, onEnded: () => void): ServiceProcess {
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  // Without these listeners, writing to a program that has ended would crash Haft.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  let ending: Promise<void> | undefined
  const end = async (): Promise<void> => {
    child.stdin.end()
    await isDoneWithin(MAX_EXIT_WAIT_MS, exited)
    await tree.end()
    // A process that still holds the other end of a pipe would keep Haft running.
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    child.unref()
    onEnded()
  }
  return {
    pid: tree.leader,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    end() {
      ending ??= end()
      return ending
    },
  }
}
