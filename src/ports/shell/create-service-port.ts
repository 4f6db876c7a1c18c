import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { ToolCallError } from '../../contract/errors.js'
import type { ServicePort, ServiceProcess, ServiceRequest } from '../../contract/host/service-process.js'
import { checkFolder } from './check-folder.js'
import { endProcesses } from './end-processes.js'
import type { ProcessQuery } from './find-processes.js'
import { type HostResources, releaseHostResources, useHostResources } from './host-resources.js'
import { commandMark, MARK_VARIABLE, withOuterMark } from './process-mark.js'
import { readStat } from './read-stat.js'
import { serviceEnvironment } from './service-environment.js'
import { startFailure } from './start-failure.js'
import { within } from './within.js'

/** How long a service may take to end by itself once its input is closed. */
const FAREWELL_MS = 500

/** Runs services under the supervisor that commands have, too: what they start is found by their mark and ends with them. */
export function createServicePort(
  environment: Readonly<Record<string, string | undefined>>,
  defaultCwd?: string,
): ServicePort {
  const portMark = randomUUID()
  const running = new Set<ServiceProcess>()
  let resources: HostResources | undefined
  let count = 0
  let disposed: Promise<void> | undefined

  async function start(given: ServiceRequest): Promise<ServiceProcess> {
    if (disposed !== undefined) throw new ToolCallError('unavailable', 'Services are being shut down.')
    const request = { ...given, cwd: given.cwd ?? defaultCwd }
    if (request.cwd !== undefined) checkFolder(request.cwd)
    resources ??= useHostResources(environment)
    resources.supervisor.watch(`mark ${portMark}`)
    count++
    const mark = commandMark(portMark, count)
    const env = {
      ...serviceEnvironment(environment),
      ...request.env,
      [MARK_VARIABLE]: withOuterMark(mark, environment),
    }
    const child = await spawnService(request, env)
    const pid = child.pid as number
    const { supervisor } = resources
    supervisor.watch(`start ${pid}`)
    const service = serviceOf(child, { mark, leader: pid, startedAt: readStat(pid)?.startedAt }, () => {
      running.delete(service)
      supervisor.forget(pid)
    })
    running.add(service)
    return service
  }

  async function dispose(): Promise<void> {
    await Promise.allSettled(Array.from(running, (service) => service.end()))
    if (resources === undefined) return
    await endProcesses({ mark: portMark, startedAt: readStat(process.pid)?.startedAt })
    await releaseHostResources()
  }

  return {
    start,
    dispose() {
      disposed ??= dispose()
      return disposed
    },
  }
}

async function spawnService(
  { command, args, cwd }: ServiceRequest,
  env: Record<string, string>,
): Promise<ChildProcessWithoutNullStreams> {
  let child: ChildProcessWithoutNullStreams
  try {
    // A session of its own: without a terminal nothing in it can ask for a password.
    child = spawn(command, args, { env, detached: true, stdio: 'pipe', ...(cwd !== undefined && { cwd }) })
  } catch (error) {
    throw startFailure(command, error)
  }
  const failed = new Promise<unknown>((resolve) => child.once('error', resolve))
  if (child.pid === undefined) throw startFailure(command, await failed)
  return child
}

function serviceOf(child: ChildProcessWithoutNullStreams, query: ProcessQuery, onGone: () => void): ServiceProcess {
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  // A pipe to a program that has gone is no failure of ours.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  let ending: Promise<void> | undefined
  const end = async (): Promise<void> => {
    child.stdin.end()
    await within(FAREWELL_MS, exited)
    await endProcesses(query)
    // Whoever still holds the other ends of the pipes would keep this process alive.
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    child.unref()
    onGone()
  }
  return {
    pid: child.pid as number,
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
