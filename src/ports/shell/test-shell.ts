import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShellOutcome, ShellRequest } from '../../contract/ports/shell.js'
import { createShellPort, type NodeShellPort, type ShellPortOptions } from './create-shell-port.js'
import type { OpenOutput } from './output-sink.js'
import { SUPERVISOR_SCRIPT } from './supervisor-script.js'

export interface TestShell {
  /** An empty folder, in which commands run. */
  readonly folder: string
  readonly port: NodeShellPort
  request(command: string, changes?: Partial<ShellRequest>): ShellRequest
  run(
    command: string,
    changes?: Partial<ShellRequest>,
    options?: { readonly signal?: AbortSignal; readonly onOutput?: (chunk: Uint8Array) => void },
  ): Promise<ShellOutcome>
  /** What still runs of all commands, told by the folder in their environment and not by the mark. */
  left(): readonly number[]
  close(): Promise<void>
}

/** A real shell in a folder of its own, for tests. */
export function openTestShell(
  makeOpenOutput: (folder: string) => OpenOutput,
  options: Partial<ShellPortOptions> = {},
): TestShell {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-shell-test-')))
  const folder = realpathSync(mkdtempSync(join(home, 'work-')))
  const runId = randomUUID()
  const environment = { ...process.env, HOME: home, HAFT_TEST_RUN: runId }
  const port = createShellPort({ environment, openOutput: makeOpenOutput(join(home, 'out')), ...options })
  const request: TestShell['request'] = (command, changes) => ({
    id: `call-${randomUUID()}`,
    command,
    cwd: folder,
    timeoutMs: 60_000,
    ...changes,
  })
  return {
    folder,
    port,
    request,
    run: (command, changes, { signal = new AbortController().signal, onOutput } = {}) =>
      port.run(request(command, changes), { signal, ...(onOutput !== undefined && { onOutput }) }),
    left: () => runningWith(`HAFT_TEST_RUN=${runId}`).filter((pid) => !isSupervisor(pid)),
    async close() {
      await port.dispose()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Processes that have an entry in their environment and are not just waiting to be reaped. */
export function runningWith(entry: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => read(pid, 'environ').split('\0').includes(entry))
}

export function isAlive(pid: number): boolean {
  const stat = read(pid, 'stat')
  return stat !== '' && !/^\d+ \(.*\) Z/s.test(stat)
}

/** Asks again and again until the answer is yes; the time limit of the test is the limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5)
}

export function isSupervisor(pid: number): boolean {
  return read(pid, 'cmdline').includes(SUPERVISOR_SCRIPT)
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    // Gone, or somebody else's.
    return ''
  }
}
