import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { BackgroundTask, TaskEvent } from '../../src/contract/ports/tasks.js'
import { createToolRuntime } from '../../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../../src/runtime/options.js'
import { createTemporaryFolder } from '../../src/testing/query-fixture.js'
import { builtInTools } from '../../src/tools/index.js'
import { call, textOf } from '../runtime-fixtures.js'

export type Permissions = ToolRuntimeOptions['permissions']

/** A runtime that records what monitors report. */
export async function startMonitors(
  permissions: Permissions = { mode: 'bypassPermissions' },
  allowedPrivateHosts: readonly string[] = [],
) {
  const events: TaskEvent[] = []
  const ended: BackgroundTask[] = []
  const cwd = await createTemporaryFolder()
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd, permissions, machine: { homeDir: join(cwd, 'home'), allowedPrivateHosts } },
    conversation: { onTaskReported: (_, event) => events.push(event), onTaskEnded: (task) => ended.push(task) },
  })
  onTestFinished(() => runtime.dispose())
  runtime.load(builtInTools.map(({ name }) => name))
  let count = 0
  const run = async (name: string, input: unknown) => {
    await runtime.definitions()
    return textOf((await runtime.run([call(name, input, `call-${count++}`)]).results)[0])
  }
  /** Waits until the monitor has ended and everything is reported. */
  const untilEnded = async () => {
    await expect.poll(() => ended.length).toBe(1)
    return { lines: events.flatMap(({ lines }) => lines), end: events.at(-1)?.end, task: ended[0] }
  }
  return { run, events, untilEnded, runtime }
}
