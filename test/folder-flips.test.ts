import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { createCheckpoints } from '../src/ports/checkpoints/create-checkpoints.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { loadAgentKinds } from '../src/session/agents/load-agent-kinds.js'
import { loadCommands } from '../src/session/commands/load-commands.js'
import { loadInstructions } from '../src/session/instructions/load-instructions.js'
import { loadSkills } from '../src/session/skills/load-skills.js'
import { savePermissionUpdates } from '../src/settings/save/save-permission-updates.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'
import { call } from './runtime-fixtures.js'

/**
 * Another process keeps exchanging a folder of the project with a link to a denied folder, in one step, so that the path
 * exists at every moment. The number of calls can be raised with HAFT_FLIP_CALLS.
 */
const CALL_COUNT = Number(process.env.HAFT_FLIP_CALLS ?? 200)
const DENIED_CONTENT = 'the-denied-content'

/** Node cannot exchange two paths in one step. 2 is RENAME_EXCHANGE, -100 the working directory. */
const EXCHANGE_LOOP = `
import ctypes, os, sys
folder, target = sys.argv[1:3]
link = folder + '.link'
os.symlink(target, link)
libc = ctypes.CDLL(None)
print('ready', flush=True)
while True: libc.renameat2(-100, folder.encode(), -100, link.encode(), 2)
`

let root: string
let project: string
let secrets: string
let folder: string
let exchangingProcess: ChildProcess | undefined

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-flips-')))
  project = join(root, 'project')
  secrets = join(root, 'secrets')
  folder = join(project, 'folder')
  for (const path of [folder, secrets]) await mkdir(path, { recursive: true })
  await writeFile(join(folder, 'file.md'), 'allowed')
  await writeFile(join(secrets, 'file.md'), DENIED_CONTENT)
})

afterEach(async () => {
  await stopExchanging()
  await rm(root, { recursive: true, force: true })
})

async function startExchanging(): Promise<void> {
  exchangingProcess = spawn('python3', ['-c', EXCHANGE_LOOP, folder, secrets], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(exchangingProcess.stdout as NonNullable<typeof exchangingProcess.stdout>, 'data')
}

/** Ends the other process and puts the folder back in its place. */
async function stopExchanging(): Promise<void> {
  if (exchangingProcess === undefined) return
  exchangingProcess.kill('SIGKILL')
  if (exchangingProcess.exitCode === null && exchangingProcess.signalCode === null)
    await once(exchangingProcess, 'exit')
  exchangingProcess = undefined
  const link = `${folder}.link`
  if (lstatSync(folder).isSymbolicLink()) {
    rmSync(folder)
    renameSync(link, folder)
  } else rmSync(link)
}

/** The texts of skills, commands and agents that reach the model. */
async function listDefinitions(options: Parameters<typeof loadCommands>[0] & { cwd: string }): Promise<string[]> {
  const skills = await loadSkills(options)
  const commands = await loadCommands(options)
  const kinds = await loadAgentKinds(options)
  return [
    ...skills.map(({ description }) => description),
    ...commands.map((command) => command.expand('')),
    ...kinds.flatMap(({ source, prompt = '' }) => (source === 'project' ? [prompt] : [])),
  ]
}

const testWithPython = testWithProgram('python3')

describe('a folder that is exchanged with a link to a denied folder', () => {
  const createDenyingRules = () => ({
    mode: 'acceptEdits' as const,
    deny: [`Read(/${secrets}/**)`, `Edit(/${secrets}/**)`],
  })

  testWithPython(
    'never makes Write create a folder in the denied folder, or a checkpoint store its content',
    async () => {
      const checkpointsDirectory = join(root, 'home/checkpoints')
      const machine = { homeDir: join(root, 'home') }
      const storage = { checkpointsDirectory }
      const runtime = createToolRuntime({
        tools: builtInTools,
        permissions: createDenyingRules(),
        cwd: project,
        machine,
        storage,
      })
      await runtime.run([call('Read', { file_path: 'folder/file.md' }, 'read')]).results
      await startExchanging()

      for (let index = 0; index < CALL_COUNT; index++) {
        const newFile = { file_path: `folder/new-${index}/file.txt`, content: 'x' }
        await runtime.run([call('Write', newFile, `new-${index}`)]).results
        const oldFile = { file_path: 'folder/file.md', content: `allowed ${index}` }
        await runtime.run([call('Write', oldFile, `old-${index}`)]).results
      }
      await stopExchanging()
      await runtime.dispose()

      expect(await readdir(secrets)).toEqual(['file.md'])
      const storedFiles = readdirSync(checkpointsDirectory, { recursive: true, withFileTypes: true })
      const contents = storedFiles
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      expect(contents).not.toEqual([])
      expect(contents.filter((content) => content.includes(DENIED_CONTENT))).toEqual([])
    },
  )

  testWithPython('never makes an undo remove a file of the denied folder', async () => {
    const checkpoints = createCheckpoints({ folder: join(root, 'checkpoints'), session: 'session' })
    // Without held folders, about one undo in twenty removes the wrong file: among this many, one does for certain.
    const names = Array.from({ length: CALL_COUNT * 2 }, (_, index) => `${index}.txt`)
    for (const name of names) {
      const file = join(folder, name)
      await checkpoints.save(name, [file])
      for (const path of [file, join(secrets, name)]) writeFileSync(path, 'same')
      await checkpoints.settle(name)
    }
    const records = [...(await checkpoints.list())].reverse()
    await startExchanging()

    for (const { id } of records) await checkpoints.restore(id).catch(() => {})

    await stopExchanging()
    expect((await readdir(secrets)).sort()).toEqual(['file.md', ...names].sort())
  })

  testWithPython('never makes a skill, a command or an agent of a denied file', async () => {
    const text = (name: string) => `---\nname: definition\ndescription: ${name}\n---\n${name}\n`
    for (const kind of ['skills/definition', 'commands', 'agents']) {
      await mkdir(join(project, '.haft', kind), { recursive: true })
      await mkdir(join(secrets, kind), { recursive: true })
      const name = kind.startsWith('skills') ? 'SKILL.md' : 'definition.md'
      writeFileSync(join(project, '.haft', kind, name), text('allowed'))
      writeFileSync(join(secrets, kind, name), text(DENIED_CONTENT))
    }
    folder = join(project, '.haft')
    const isDenied = (path: string) => path.startsWith(secrets)
    const options = {
      cwd: project,
      projectRoot: project,
      home: join(root, 'home'),
      isTrusted: true,
      findRestriction: async (path: string) =>
        isDenied(path) || isDenied(realpathSync(path)) ? ({ behavior: 'deny', rule: 'Read' } as const) : undefined,
    }
    const [skill] = await loadSkills(options)
    const readSkill = () => skill?.skill.read().catch(() => '') ?? ''
    await startExchanging()
    const texts = new Set<string>()

    for (let index = 0; index < CALL_COUNT; index++)
      for (const text of [await readSkill(), ...(await listDefinitions(options))]) texts.add(text)

    expect([...texts].filter((each) => each.includes(DENIED_CONTENT))).toEqual([])
    expect(texts).toContain('allowed')
  })

  testWithPython('never makes a saved rule change the settings of another folder', async () => {
    folder = join(project, '.haft')
    await mkdir(folder)
    await startExchanging()

    for (let index = 0; index < CALL_COUNT; index++) {
      const update = {
        type: 'addRules',
        destination: 'localSettings',
        behavior: 'allow',
        rules: [`Bash(echo ${index})`],
      } as const
      await savePermissionUpdates([update], { projectRoot: project, home: join(root, 'home') }).catch(() => {})
    }

    await stopExchanging()
    expect(await readdir(secrets)).toEqual(['file.md'])
    expect(readFileSync(join(folder, 'settings.local.json'), 'utf8')).toContain('Bash(echo')
  })

  testWithPython('never adds a denied file to the instructions', async () => {
    writeFileSync(join(project, 'AGENTS.md'), '@folder/file.md')
    await startExchanging()
    const texts = new Set<string>()

    for (let index = 0; index < 5 * CALL_COUNT; index++) {
      const options = { cwd: project, projectRoot: project, home: undefined, isTrusted: true }
      for (const { text } of await loadInstructions(options)) texts.add(text)
    }

    expect([...texts].sort()).toEqual(['@folder/file.md', 'allowed'])
  })
})
