import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = dirname(dirname(fileURLToPath(import.meta.url)))
export const REVISIONS = ['2025-11-25', '2026-07-28']

/** The Node that the suite and the inspector need. */
export const newerNode = join(here, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
const suite = join(here, 'node_modules', '@modelcontextprotocol', 'conformance')

/** Scenarios that a revision requires; the others of the suite are extensions, or not finished. */
export async function requiredScenarios(leg, revision) {
  const lines = (await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8')).split('\n')
  const start = lines.indexOf(`${leg}:`) + 1
  const length = lines.slice(start).findIndex((line) => !line.startsWith('  - '))
  return lines.slice(start, start + length).map((line) => line.slice('  - '.length).trim())
}

/** Runs all scenarios of a revision and gives how each came out. `passed` needs a check that passed, and none that did not. */
export async function runSuite(leg, revision, args, env = {}) {
  const output = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const command = [join(suite, 'dist', 'index.js'), leg, '--requirements', revision, '-o', output, ...args]
    const printed = await run(newerNode, command, env)
    const required = await requiredScenarios(leg, revision)
    const folders = await readdir(output)
    return await Promise.all(required.map((scenario) => outcomeOf(scenario, leg, output, folders, printed)))
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

async function outcomeOf(scenario, leg, output, folders, printed) {
  const name = `${leg === 'server' ? 'server-' : ''}${scenario}-`
  const [top, ...below] = name.split('/')
  const folder =
    below.length === 0
      ? folders.find((each) => each.startsWith(name) && /^\d{4}-\d\d-\d\dT/.test(each.slice(name.length)))
      : await folderBelow(output, top, below.join('/'))
  if (folder === undefined) return { scenario, isPassed: false, why: [`it did not run: ${printed.slice(-500)}`] }
  const checks = JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8'))
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const passed = checks.filter(({ status }) => status === 'SUCCESS')
  // Checks of the suite on its own messages say nothing of whom it tests.
  const own = passed.filter(({ id }) => !id.startsWith('wire-schema'))
  const why = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)
  return {
    scenario,
    isPassed: failed.length === 0 && own.length > 0,
    why: failed.length === 0 && own.length === 0 ? ['nothing was checked'] : why,
  }
}

async function folderBelow(output, top, rest) {
  const below = await readdir(join(output, top)).catch(() => [])
  const found = below.find((each) => each.startsWith(rest) && /^\d{4}-\d\d-\d\dT/.test(each.slice(rest.length)))
  return found && join(top, found)
}

function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: here,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed = (printed + chunk).slice(-100_000)
      })
    }
    child.once('error', reject)
    child.once('close', () => resolve(printed))
  })
}
