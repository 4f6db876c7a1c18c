import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { builtInTools } from '../src/tools/index.js'
import { call, Echo, Read, textOf, Write } from './runtime-fixtures.js'

function start(options: Partial<ToolRuntimeOptions> = {}) {
  const runtime = createToolRuntime({ tools: [Echo, Read, Write], ...options })
  onTestFinished(() => runtime.dispose())
  return runtime
}

describe('the mode of a fork', () => {
  test('is never looser than that of its parent, whatever changes later', async () => {
    const runtime = start({ permissions: { mode: 'acceptEdits' } })
    const strictFork = runtime.fork({ permissionMode: 'plan' })
    const looseFork = runtime.fork({ permissionMode: 'bypassPermissions' })
    const nestedFork = strictFork.fork({ permissionMode: 'acceptEdits', mayLoosenMode: true })
    const listModes = () => [strictFork, looseFork, nestedFork].map(({ permissions }) => permissions.mode)

    expect(listModes()).toEqual(['plan', 'acceptEdits', 'plan'])
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'default' }])
    expect(listModes()).toEqual(['plan', 'default', 'plan'])
  })

  test('can be looser if the user chose it explicitly, except in plan mode', async () => {
    const runtime = start()
    const looserFork = runtime.fork({ permissionMode: 'acceptEdits', mayLoosenMode: true })

    expect(looserFork.permissions.mode).toBe('acceptEdits')
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'plan' }])
    expect(looserFork.permissions.mode).toBe('plan')
  })

  test('is never a mode that policy forbids', () => {
    const problems: unknown[] = []
    const runtime = start({
      onProblem: (problem) => problems.push(problem),
      policy: { isSandboxed: true, restrictions: { managedRulesOnly: false, forbiddenModes: ['bypassPermissions'] } },
    })

    const fork = runtime.fork({ permissionMode: 'bypassPermissions', mayLoosenMode: true })

    expect(fork.permissions.mode).toBe('default')
    expect(problems).toEqual([expect.stringContaining('A sub-agent cannot use its permission mode')])
  })
})

describe('a fork in a copy of the project', () => {
  async function createProject() {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'haft-forks-')))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    for (const folder of ['project/secret', 'project/copies/one/secret', 'other']) {
      await mkdir(join(root, folder), { recursive: true })
      await writeFile(join(root, folder, 'key'), folder)
    }
    return { root, original: join(root, 'project'), path: join(root, 'project/copies/one'), other: join(root, 'other') }
  }

  test('cannot write to the project: rules apply in both folders, and additional directories of the user remain', async () => {
    const { original, path, other } = await createProject()
    const runtime = start({
      cwd: original,
      permissions: {
        mode: 'acceptEdits',
        deny: ['Read(secret/**)', 'Read(/secret/**)'],
        directories: [other, join(original, 'copies')],
      },
    })
    const fork = runtime.fork({ isolation: { path, original } })
    const calls = [
      call('Write', { path: 'new', text: '' }, 'inside'),
      call('Write', { path: join(original, 'new'), text: '' }, 'original'),
      call('Write', { path: join(other, 'new'), text: '' }, 'other'),
      call('Read', { path: 'secret/key' }, 'secret'),
      call('Read', { path: join(original, 'secret/key') }, 'original secret'),
    ]

    const results = await fork.run(calls).results

    expect(fork.cwd).toBe(path)
    const [insideText, outsideText, elsewhereText, secret, originalSecret] = results.map(textOf)
    expect(insideText).toBe('wrote new')
    expect(elsewhereText).toMatch(/^wrote/)
    expect(outsideText).toContain('outside the working directories')
    expect(secret).toMatch(/denies this call/)
    expect(originalSecret).toMatch(/denies this call/)
  })

  test('confines commands to the copy, as far as the machine supports it', async () => {
    const { original, path } = await createProject()
    const folders: unknown[] = []
    const runtime = start({
      cwd: original,
      tools: builtInTools,
      permissions: { allow: ['Bash'] },
      ports: {
        shell: {
          run: async (request) => {
            folders.push(request.folders)
            throw new Error('seen')
          },
          start: async () => ({ taskId: 'x' }),
          confinement: async () => ({ isAvailable: false, reason: '', byDefault: 'none' }),
        },
      },
    })

    const sharedGitFolder = join(original, '.git')
    await runtime
      .fork({ isolation: { path, original, repository: sharedGitFolder } })
      .run([call('Bash', { command: 'make' })]).results
    await runtime.run([call('Bash', { command: 'make' })]).results

    expect(folders).toEqual([[path, sharedGitFolder], undefined])
  })
})

test('tools that need sub-agents exist only if the host supports them', () => {
  const listToolNames = (options: Partial<ToolRuntimeOptions>) =>
    start({ tools: builtInTools, ...options }).pool.map(({ name }) => name)

  expect(listToolNames({})).not.toContain('Agent')
  expect(listToolNames({ conversation: { agentPorts: () => ({}) } })).toContain('Agent')
})
