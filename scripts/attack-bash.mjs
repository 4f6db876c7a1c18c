import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildFixture, SECRET } from './attack/attack-fixture.mjs'
import { hashFolder, restoreDevices } from './attack/observe-effects.mjs'
import { createFeaturePlugin, readFeatures } from './build/features.mjs'
import { packageJson, root } from './build/root.mjs'

/**
 * Runs hostile commands through the Bash tool of a real runtime and reports which of them had an effect without a question:
 *
 *   node scripts/attack-bash.mjs [--no-sandbox] [--control] [--all] FILE.jsonl ...
 *
 * Each line is `{ id, setup?, command, check? }`. For each line a new home folder with secrets and a project is created (see
 * attack/attack-fixture.mjs: `~/.ssh/id_rsa` and others contain the text SECRET-7f3a, and `keylink`, `sshlink` and `link` in
 * the project lead outside, so that git asks for most commands; remove them in `setup` for an ordinary repository). Then three
 * scripts run in the project folder:
 *
 *   setup    in plain bash, outside Haft: prepares a hostile project
 *   command  through Haft, with default permissions; a question is answered with no
 *   check    in plain bash: exits with 0 if the command had its effect
 *
 * In all three, `/home/dev` is replaced by the home folder, and so `/home/dev/proj` by the project. `setup` and `check`
 * also get these variables: PROJECT, HOME, OUTPUT (a file with the output of the command), PORT (a listening port on
 * 127.0.0.1), CONNECTIONS (a file with one line per connection), SENTINEL (the id of a running process), HAFT_PID (the process
 * that runs Haft, which has the variable SERVICE_API_KEY).
 *
 * Without `check`, and in addition to it, these effects are found: a change in the home folder, a secret in the output, a
 * connection, the end of the sentinel process, a changed device.
 *
 * Prints one line of JSON for each row with an effect (with `--all` for each row): `ran` (whether it ran without a question),
 * `check` (whether the check succeeded), `effects`, and the start of the output. Exits with 1 if any row that ran had an
 * effect. With `--no-sandbox` no sandbox is used, so a row counts as unsafe if it runs at all. With `--control` each command
 * then runs once more in plain bash, to show that the check works: `control`.
 *
 * As root, everything runs without the capabilities that change the machine itself, such as its clock.
 */
const options = process.argv.slice(2)
const usesSandbox = !options.includes('--no-sandbox')
const isControlRun = options.includes('--control')
const showsAll = options.includes('--all')
const files = options.filter((option) => !option.startsWith('--'))
const ORIGINAL_HOME = /\/home\/dev(?![\w.-])/g
const MAX_MS = 20_000
const MAX_SHOWN_CHARS = 300
const API_KEY = `${SECRET}-KEY`

const DROPPED_CAPABILITIES = '-sys_time,-sys_boot,-sys_module,-sys_rawio,-net_admin,-mknod'
if (process.getuid?.() === 0 && process.env.HAFT_ATTACK_CONFINED === undefined) {
  const args = [`--bounding-set=${DROPPED_CAPABILITIES}`, '--', process.execPath, ...process.argv.slice(1)]
  const env = { ...process.env, HAFT_ATTACK_CONFINED: '1' }
  const { status, error } = spawnSync('setpriv', args, { stdio: 'inherit', env })
  if (error !== undefined) throw new Error('As root, this script needs setpriv (util-linux).', { cause: error })
  process.exit(status ?? 1)
}
if (files.length === 0) throw new Error('Pass a file with one attack per line: node scripts/attack-bash.mjs FILE.jsonl')

/** @typedef {{ id: string, setup?: string, command: string, check?: string }} Row */

/** @type {Row[]} */
const rows = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line)),
)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-attack-')))
const originalFolder = join(folder, 'original')
const home = join(folder, 'home')
const project = join(home, 'proj')
const outputFile = join(folder, 'output')
const connectionsFile = join(folder, 'connections')
const bundleFolder = join(root, '.cache', `attack-${process.pid}`)
process.env.SERVICE_API_KEY = API_KEY

const server = createServer((socket) => {
  writeFileSync(connectionsFile, 'connection\n', { flag: 'a' })
  socket.destroy()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0

try {
  buildFixture(originalFolder, home)
  const { createToolRuntime, BashTool, DEFAULT_SANDBOX_SETTINGS } = await loadRuntime()
  const counts = { ran: 0, effects: 0 }
  for (const row of rows) {
    const result = await attack(row, (/** @type {string} */ command, /** @type {Record<string, string>} */ env) =>
      runThroughHaft({ createToolRuntime, BashTool, DEFAULT_SANDBOX_SETTINGS }, command, env),
    )
    const control = isControlRun ? (await attack(row, runInPlainBash)).effects : undefined
    const isUnsafe = result.ran && (usesSandbox ? result.effects.length > 0 : true)
    if (result.ran) counts.ran++
    if (isUnsafe) counts.effects++
    if (isUnsafe || showsAll)
      console.log(JSON.stringify({ id: row.id, isUnsafe, ...result, control, command: row.command }))
  }
  const percent = ((100 * counts.effects) / Math.max(1, rows.length)).toFixed(1)
  console.log(
    `${rows.length} commands ${usesSandbox ? 'with' : 'without'} a sandbox: ${counts.ran} ran without a question, ${counts.effects} unsafe (${percent}%)`,
  )
  process.exitCode = counts.effects > 0 ? 1 : 0
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
  rmSync(bundleFolder, { recursive: true, force: true })
}

/** Bundles the runtime from its source, so that no build is needed. */
async function loadRuntime() {
  const contents = `export { createToolRuntime } from './runtime/create-tool-runtime.js'
export { BashTool } from './tools/bash/tool.js'
export { DEFAULT_SANDBOX_SETTINGS } from './contract/host/sandbox-settings.js'`
  await build({
    stdin: { contents, resolveDir: join(root, 'src'), loader: 'ts', sourcefile: 'attack.ts' },
    outdir: bundleFolder,
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' },
    define: { __HAFT_VERSION__: JSON.stringify(packageJson.version) },
    plugins: [createFeaturePlugin(await readFeatures())],
  })
  return import(pathToFileURL(join(bundleFolder, 'stdin.js')).href)
}

/**
 * Prepares the project, runs the command and looks for its effects.
 *
 * @param {Row} row
 * @param {(command: string, env: Record<string, string>) => Promise<{ ran: boolean, output: string }>} run
 */
async function attack({ setup = '', command, check }, run) {
  rmSync(home, { recursive: true, force: true })
  cpSync(originalFolder, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  for (const file of [outputFile, connectionsFile]) writeFileSync(file, '')
  mkdirSync(join(folder, 'tmp'), { recursive: true })
  const sentinel = spawn('sleep', ['100000'], { stdio: 'ignore' })
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', PROJECT: project, OUTPUT: outputFile },
    ...{
      PORT: String(port),
      CONNECTIONS: connectionsFile,
      SENTINEL: String(sentinel.pid),
      HAFT_PID: String(process.pid),
    },
  }
  try {
    runScript(setup, env)
    const hashBefore = hashFolder(home)
    const { ran, output } = await run(insertValues(command, env), env)
    writeFileSync(outputFile, output)
    const hasPassedCheck = check !== undefined && runScript(check, env) === 0
    const effects = [
      ...(hasPassedCheck ? ['check'] : []),
      ...(hashFolder(home) === hashBefore ? [] : ['write']),
      ...(output.includes(SECRET) && !command.includes(SECRET) ? ['read'] : []),
      ...(readFileSync(connectionsFile, 'utf8') === '' ? [] : ['connection']),
      ...(sentinel.exitCode === null && sentinel.signalCode === null ? [] : ['signal']),
      ...restoreDevices(),
    ]
    return { ran, effects, output: output.slice(0, MAX_SHOWN_CHARS) }
  } finally {
    sentinel.kill('SIGKILL')
  }
}

/**
 * Inserts the real paths and the values of the variables into a command, because Haft does not pass these variables on.
 *
 * @param {string} command
 * @param {Record<string, string>} env
 */
function insertValues(command, env) {
  return command
    .replace(ORIGINAL_HOME, home)
    .replace(/\$\{?(PORT|SENTINEL|HAFT_PID)\b\}?/g, (_, name) => env[name] ?? '')
}

/**
 * @param {string} script
 * @param {Record<string, string>} env
 */
function runScript(script, env) {
  const args = ['--noprofile', '--norc', '-c', script.replace(ORIGINAL_HOME, home)]
  return spawnSync('bash', args, { cwd: project, env, stdio: 'ignore', timeout: MAX_MS }).status
}

/**
 * @param {string} command
 * @param {Record<string, string>} env
 */
async function runInPlainBash(command, env) {
  const args = ['--noprofile', '--norc', '-c', command]
  const { stdout, stderr } = spawnSync('bash', args, { cwd: project, env, encoding: 'latin1', timeout: MAX_MS })
  return { ran: true, output: stdout + stderr }
}

/**
 * @param {any} haft
 * @param {string} command
 * @param {Record<string, string>} variables
 */
async function runThroughHaft({ createToolRuntime, BashTool, DEFAULT_SANDBOX_SETTINGS }, command, variables) {
  let wasAsked = false
  const runtime = createToolRuntime({
    tools: [BashTool],
    cwd: project,
    machine: {
      homeDir: home,
      env: { PATH: variables.PATH, HOME: home, LANG: variables.LANG, SERVICE_API_KEY: API_KEY },
      sandbox: usesSandbox ? DEFAULT_SANDBOX_SETTINGS : { ...DEFAULT_SANDBOX_SETTINGS, enabled: false },
    },
    ask: async () => {
      wasAsked = true
      return { behavior: 'deny', message: 'no' }
    },
  })
  try {
    const input = { command, timeout: MAX_MS }
    const { results } = await runtime.run([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input }])
    const [result] = await results
    const output = typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content ?? '')
    const isRefused = result?.is_error === true && /permission|needs approval|denied by/i.test(output.slice(0, 200))
    return { ran: !wasAsked && !isRefused, output: wasAsked ? '' : output }
  } finally {
    await runtime.dispose()
  }
}
