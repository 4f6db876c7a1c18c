import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

let folder: string
let runtime: ReturnType<typeof createToolRuntime>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-cancelled-'))
  runtime = createToolRuntime({
    tools: builtInTools,
    permissions: { allow: ['Bash'] },
    cwd: folder,
    machine: { homeDir: join(folder, 'home') },
  })
})
afterEach(async () => {
  await runtime.dispose()
  await rm(folder, { recursive: true, force: true })
})

test('a command that is ended because its call was cancelled is reported as stopped, not as finished', async () => {
  const controller = new AbortController()
  const { results } = runtime.run([call('Bash', { command: 'echo started; touch made; sleep 600' })], {
    signal: controller.signal,
    // The first output shows that the command runs.
    onEvent: (event) => event.type === 'call-progressed' && controller.abort(),
  })

  const text = textOf((await results)[0])
  expect(text).toContain('It was stopped; changes that it had already made remain.')
  expect(text).not.toContain('finished')
})
