import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ShellOutcome, ShellRequest } from '../contract/ports/shell.js'
import type { OpenOutput } from '../ports/shell/command-output.js'
import { createShellPort, type NodeShellPort, type ShellPortOptions } from '../ports/shell/create-shell-port.js'
import { findProcessesWith, isSupervisor } from './running-processes.js'

export interface TestShell {
  /** An empty folder in which commands run. */
  readonly folder: string
  readonly port: NodeShellPort
  request(command: string, changes?: Partial<ShellRequest>): ShellRequest
  run(
    command: string,
    changes?: Partial<ShellRequest>,
    options?: { readonly signal?: AbortSignal; readonly onOutput?: (chunk: Uint8Array) => void },
  ): Promise<ShellOutcome>
  /** Returns the ids of all running processes of commands, found without the marker that the port uses. */
  findRunningPids(): readonly number[]
  close(): Promise<void>
}

/** Opens a real shell in a temporary folder, for tests. */
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
    findRunningPids: () => findProcessesWith(`HAFT_TEST_RUN=${runId}`).filter((pid) => !isSupervisor(pid)),
    async close() {
      await port.dispose()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
