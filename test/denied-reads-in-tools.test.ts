import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../src/assembly/read-environment.js'
import { DEFAULT_SANDBOX_SETTINGS } from '../src/contract/host/sandbox-settings.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

const SECRET = 'the-denied-content'

/** A project with a denied file, and a script that prints it without being given its name. */
async function openProject() {
  const cwd = await createTemporaryFolder()
  mkdirSync(join(cwd, 'docs'))
  for (const name of ['.env', 'docs/secret.pdf']) writeFileSync(join(cwd, name), `${SECRET}\n`)
  symlinkSync('secret.pdf', join(cwd, 'docs/link.pdf'))
  writeFileSync(join(cwd, 'show.sh'), '#!/bin/sh\ncat .??v\necho shown\n')
  chmodSync(join(cwd, 'show.sh'), 0o755)
  const lines: string[] = []
  const ended: unknown[] = []
  const flags = readEnvironment({ HAFT_INTERNAL: '1', HAFT_REPL_MODE: '0' }, process.platform).environment
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd,
    permissions: { allow: ['Monitor', 'Terminal', 'Bash'], deny: ['Read(.env)', 'Read(docs/secret.pdf)'] },
    // The questions of rules for unknown commands are approved: only the sandbox keeps the file from them.
    ask: async () => ({ behavior: 'allow' }),
    machine: { homeDir: join(cwd, 'home'), flags, sandbox: { ...DEFAULT_SANDBOX_SETTINGS, enabled: true } },
    conversation: { onTaskReported: (_, event) => lines.push(...event.lines), onTaskEnded: (task) => ended.push(task) },
  })
  onTestFinished(() => runtime.dispose())
  runtime.load(builtInTools.map(({ name }) => name))
  let count = 0
  const run = async (name: string, input: unknown) => {
    await runtime.definitions()
    return textOf((await runtime.run([call(name, input, `call-${count++}`)]).results)[0])
  }
  return { run, lines, ended }
}

describe('a file that a rule denies for reading is not shown', () => {
  testWithProgram('bwrap', 'bubblewrap')('by a command of Monitor that does not name it', async () => {
    const { run, lines, ended } = await openProject()

    await run('Monitor', { command: './show.sh 2>/dev/null' })
    await expect.poll(() => ended.length).toBe(1)

    expect(lines).toEqual(['shown'])
  })

  testWithProgram('bwrap', 'bubblewrap')('by a program of Terminal that does not name it', async () => {
    const { run } = await openProject()

    const start = await run('Terminal', { action: 'start', command: './show.sh; sleep 600' })
    const session_id = /"?session(?:_id)?"?[: ]+"?([\w-]+)/i.exec(start)?.[1] ?? ''
    const screen = await run('Terminal', { action: 'wait', session_id, text: 'shown', timeout: 60_000 })

    expect(screen).toContain('shown')
    expect(start + screen).not.toContain(SECRET)
  })

  test.each(['docs/secret.pdf', 'docs/link.pdf'])('by Read, if it is a PDF: %s', async (file_path) => {
    const { run } = await openProject()

    const answer = await run('Read', { file_path })

    expect(answer).toContain('denies this call')
    expect(answer).not.toContain(SECRET)
  })
})
