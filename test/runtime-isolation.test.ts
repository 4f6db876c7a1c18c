import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readEnvironment } from '../src/assembly/read-environment.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'

const folder = mkdtempSync(join(tmpdir(), 'haft-separation-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A runtime whose PATH is one folder with these programs. */
function createRuntimeWith(name: string, programs: readonly string[]) {
  const bin = join(folder, name)
  mkdirSync(bin)
  for (const program of programs) writeFileSync(join(bin, program), '#!/bin/sh\n', { mode: 0o755 })
  const env = { PATH: bin, HAFT_POWERSHELL: '1' }
  const { environment } = readEnvironment(env, process.platform)
  return createToolRuntime({ tools: builtInTools, cwd: folder, machine: { env, flags: environment, homeDir: folder } })
}

test('two runtimes in one process do not share the list of installed programs', async () => {
  const runtimeWithPwsh = createRuntimeWith('with', ['pwsh'])
  const runtimeWithoutPwsh = createRuntimeWith('without', [])
  const hasPowerShell = (runtime: typeof runtimeWithPwsh) => runtime.pool.some(({ name }) => name === 'PowerShell')
  try {
    expect([hasPowerShell(runtimeWithPwsh), hasPowerShell(runtimeWithoutPwsh)]).toEqual([true, false])
    // Asking one runtime does not change the answer of the other.
    expect([hasPowerShell(runtimeWithoutPwsh), hasPowerShell(runtimeWithPwsh)]).toEqual([false, true])
  } finally {
    await runtimeWithPwsh.dispose()
    await runtimeWithoutPwsh.dispose()
  }
})
