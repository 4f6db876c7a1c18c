import './lib/restart-clean.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { interleave } from './lib/interleave.mjs'
import { createUnmeasuredRow, isOverLimit, report } from './lib/report.mjs'

/* Measures the time that the sandbox adds to a command: choosing the visible files, bubblewrap, and its mounts. */

const MAX_MS = 12
const ROUND_COUNT = 80
const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  const { createSandbox, DEFAULT_SANDBOX_SETTINGS, withInheritedFiles } = await loadSandbox()
  const sandbox = createSandbox({
    settings: DEFAULT_SANDBOX_SETTINGS,
    workingFolders: () => [PROJECT_FOLDER],
    home: homedir(),
    platform: process.platform,
    machine: process.arch,
    searchPath: process.env.PATH ?? '',
    temporaryFolder: folder,
  })
  const run = async (/** @type {object} */ request) => {
    const start = performance.now()
    const confinedLaunch = await sandbox.confine({ id: 'bench', cwd: PROJECT_FOLDER, environment: {}, ...request })
    const [program, ...args] = [...confinedLaunch.argvPrefix, 'bash', '--norc', '-c', ':']
    const child = withInheritedFiles(confinedLaunch, ['ignore', 'pipe', 'pipe'], (/** @type {any} */ stdio) =>
      spawn(program, args, { cwd: PROJECT_FOLDER, stdio }),
    )
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`The command failed with exit code ${code}.`)
    const cost = performance.now() - start
    await confinedLaunch.release?.()
    return cost
  }
  const { isAvailable } = await sandbox.status()
  if (isAvailable) {
    const results = await interleave({
      rounds: ROUND_COUNT,
      cases: [
        { name: 'without a sandbox', run: () => run({ confinement: 'none' }) },
        { name: 'workspace', run: () => run({ confinement: 'workspace' }) },
        { name: 'read-only, everything visible', run: () => run({ confinement: 'read-only' }) },
        { name: 'read-only, only permitted files visible', run: () => run({ confinement: 'read-only', reads: [] }) },
      ],
    })
    const baseline = results[0]?.median ?? Number.NaN
    report(
      'Sandbox: time that it adds to a command',
      results.slice(1).map(({ name, median }) => ({
        name,
        value: `${(median - baseline).toFixed(1)} ms`,
        limit: `${MAX_MS} ms`,
        isOver: isOverLimit(median - baseline, MAX_MS),
      })),
    )
  } else report('Sandbox: time that it adds to a command', [createUnmeasuredRow('there is no sandbox on this machine')])
  await sandbox.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function loadSandbox() {
  const contents = `export { createSandbox } from './ports/sandbox/create-sandbox.js'
export { DEFAULT_SANDBOX_SETTINGS } from './contract/host/sandbox-settings.js'
export { withInheritedFiles } from './ports/shell/confinement.js'`
  const outfile = join(folder, 'sandbox.mjs')
  const stdin = { contents, resolveDir: join(PROJECT_FOLDER, 'src'), loader: /** @type {const} */ ('ts') }
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' })
  return import(pathToFileURL(outfile).href)
}
