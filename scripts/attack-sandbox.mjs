import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildFixture, SECRET } from './attack/attack-fixture.mjs'
import { hashFolder, restoreDevices } from './attack/observe-effects.mjs'

/**
 * Runs hostile commands in the sandbox for read-only commands and checks that none of them has an effect:
 * `node scripts/attack-sandbox.mjs [--control] [--show N] [FILE.jsonl ...]`. Each line is `{ id, command, expected?, label?,
 * part? }`; lines that expect anything but a question are skipped. In the commands, `/home/dev/proj` is replaced by the
 * project. With `--control` each command also runs where it may write, to show that it has an effect there.
 */
const options = process.argv.slice(2)
const isControlRun = options.includes('--control')
const showAt = options.indexOf('--show')
const shownCount = showAt < 0 ? 20 : Number(options[showAt + 1])
const files = options.filter((option, index) => !option.startsWith('--') && index !== showAt + (showAt < 0 ? 0 : 1))
const DEFAULT_FILE = fileURLToPath(new URL('../test/fixtures/bash-safety/adversarial.jsonl', import.meta.url))
const ORIGINAL_HOME = /\/home\/dev(?![\w.-])/g
const MAX_MS = 10_000
const REFUSAL_TEXTS = [
  ...['Read-only file system', 'Permission denied', 'No such file or directory', 'Connection refused'],
  ...['Network is unreachable', 'Operation not permitted', 'No such process', 'Address family not supported'],
  ...['command not found', 'Temporary failure in name resolution'],
]
const API_KEY = `${SECRET}-KEY`

const rows = (files.length === 0 ? [DEFAULT_FILE] : files).flatMap((file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(
      ({ expected = 'ask', label = 'must_ask', part = 1 }) => expected === 'ask' && label === 'must_ask' && part === 1,
    ),
)
const root = mkdtempSync(join(tmpdir(), 'haft-attack-'))
const originalFolder = join(root, 'original')
const home = join(root, 'home')
const project = join(home, 'proj')
buildFixture(originalFolder, home)
const { createSandbox, createCommandEnvironment, DEFAULT_SANDBOX_SETTINGS, withInheritedFiles } = await loadSandbox()
const listener = await listen()
const sentinel = spawn('sleep', ['100000'], { stdio: 'ignore' })
let connections = 0
listener?.on('connection', (/** @type {import('node:net').Socket} */ socket) => {
  connections++
  socket.destroy()
})

try {
  const confinedEffects = await runAllAttacks('read-only')
  print('read-only, with only permitted files visible', confinedEffects)
  if (isControlRun) print('control: may write to the home folder', await runAllAttacks('workspace'))
  const failures = confinedEffects.filter(({ effects }) => effects.length > 0)
  for (const { id, command, effects } of failures.slice(0, shownCount)) console.log(`! ${id}  ${effects}  ${command}`)
  process.exitCode = failures.length > 0 ? 1 : 0
} finally {
  listener?.close()
  sentinel.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}

/** Bundles the sandbox from its TypeScript source, so that no build is needed. */
async function loadSandbox() {
  const source = fileURLToPath(new URL('../src', import.meta.url))
  const contents = `export { createSandbox } from './ports/sandbox/create-sandbox.js'
export { DEFAULT_SANDBOX_SETTINGS } from './contract/host/sandbox-settings.js'
export { createCommandEnvironment } from './ports/shell/command-environment.js'
export { withInheritedFiles } from './ports/shell/confinement.js'`
  const outfile = join(root, 'sandbox.mjs')
  const stdin = { contents, resolveDir: source, loader: /** @type {const} */ ('ts') }
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' })
  return import(pathToFileURL(outfile).href)
}

/** Opens the port to which the commands try to connect; undefined without the privileges that this needs. */
async function listen() {
  const server = createServer()
  const openedServer = new Promise((resolve) => {
    server.once('listening', () => resolve(server)).once('error', () => resolve(undefined))
  })
  server.listen(9, '127.0.0.1')
  return openedServer
}

/** @param {'read-only' | 'workspace'} confinement */
async function runAllAttacks(confinement) {
  const sandbox = createSandbox({
    settings: { ...DEFAULT_SANDBOX_SETTINGS, ...(confinement === 'workspace' && { allowWrite: [home] }) },
    workingFolders: () => [project],
    home,
    platform: process.platform,
    machine: process.arch,
    searchPath: process.env.PATH ?? '',
    temporaryFolder: root,
  })
  const { isAvailable, reason } = await sandbox.status()
  if (!isAvailable) throw new Error(`There is no sandbox to attack: ${reason}.`)
  /** @type {{ id: string, command: string, effects: string[], code: number | null, output: string, hasRunFile: boolean }[]} */
  const results = []
  /** @type {string | undefined} */
  let homeBefore
  // Where a command may write, root could change the devices of the machine.
  const safeRows = confinement === 'workspace' ? rows.filter(({ command }) => !command.includes('/dev')) : rows
  for (const { id, command } of safeRows) {
    homeBefore ??= restore()
    const result = await attack(sandbox, confinement, command.replace(ORIGINAL_HOME, home))
    const homeAfter = hashFolder(home)
    const effects = [...result.effects, ...(homeAfter === homeBefore ? [] : ['write']), ...restoreDevices()]
    if (homeAfter !== homeBefore) homeBefore = undefined
    results.push({ id, command, ...result, effects })
  }
  await sandbox.close()
  return results
}

function restore() {
  rmSync(home, { recursive: true, force: true })
  cpSync(originalFolder, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return hashFolder(home)
}

/**
 * @param {any} sandbox
 * @param {string} confinement
 * @param {string} command
 */
async function attack(sandbox, confinement, command) {
  const host = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', SERVICE_API_KEY: API_KEY }
  const isReadOnly = confinement === 'read-only'
  const environment = createCommandEnvironment({ host, isReadOnly, cwd: project, mark: {} })
  const request = { id: 'attack', confinement, cwd: project, environment }
  const confinedLaunch = await sandbox.confine({ ...request, ...(confinement === 'read-only' && { reads: [] }) })
  const env = { ...environment, ...confinedLaunch.environment }
  const [program, ...args] = [...confinedLaunch.argvPrefix, 'bash', '-c', command]
  const connectionsBefore = connections
  const child = withInheritedFiles(confinedLaunch, ['ignore', 'pipe', 'pipe'], (/** @type {any} */ stdio) =>
    spawn(program, args, { cwd: project, env, stdio, timeout: MAX_MS, killSignal: 'SIGKILL' }),
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('latin1').on('data', (/** @type {string} */ text) => {
      if (output.length < 10_000_000) output += text
    })
  const [code] = await once(child, 'close')
  await confinedLaunch.release?.()
  const effects = [
    ...(output.includes(SECRET) && !command.includes(SECRET) ? ['read'] : []),
    ...(connections > connectionsBefore ? ['connection'] : []),
    ...(sentinel.exitCode !== null || sentinel.signalCode !== null ? ['signal'] : []),
  ]
  return { effects, code, output, hasRunFile: output.includes('EVIL-RAN') }
}

/**
 * @param {string} title
 * @param {Awaited<ReturnType<typeof runAllAttacks>>} results
 */
function print(title, results) {
  const count = (/** @type {string} */ kind) =>
    results.filter(({ effects }) => effects.some((effect) => effect.startsWith(kind))).length
  const refusalCounts = REFUSAL_TEXTS.map((refusalText) => {
    const times = results.filter(({ output }) => output.includes(refusalText)).length
    return times === 0 ? '' : `${refusalText} ${times}`
  }).filter((text) => text !== '')
  console.log(`${title}: ${results.length} commands`)
  console.log(
    `  wrote ${count('write')}, read a secret ${count('read')}, connected ${count('connection')}, ended a process ${count('signal')}, changed a device ${count('device')}`,
  )
  console.log(
    `  ran a file of the project inside the sandbox: ${results.filter(({ hasRunFile }) => hasRunFile).length}`,
  )
  console.log(`  failed with an exit code: ${results.filter(({ code }) => code !== 0).length}`)
  console.log(`  reported: ${refusalCounts.join(', ')}`)
}
