import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { mergeParts } from '../scripts/build/merge-parts.mjs'
import { interleave } from './lib/interleave.mjs'
import { createRatioRows, report } from './lib/report.mjs'
import { runParts } from './lib/run-parts.mjs'
import { measureSpawnTime } from './lib/spawn-time.mjs'

/**
 * Measures the time of short commands from start to exit, relative to Node without a program, also with sixty built-in tools;
 * and the cost of importing the library, relative to importing zod.
 */
const ROUND_COUNT = 21

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  await runParts({ commands: benchCommands, imports: benchImports })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function benchCommands() {
  const sixtyTools = await buildWithSixtyTools()
  const results = await interleave({
    rounds: ROUND_COUNT,
    cases: [
      { name: 'node -e 0', run: () => measureSpawnTime(['-e', '0']) },
      { name: 'haft --version', run: () => measureSpawnTime(['bin/haft', '--version']), limit: 1.3 },
      { name: 'haft tools --json', run: () => measureSpawnTime(['bin/haft', 'tools', '--json']), limit: 1.6 },
      { name: 'haft --version, 60 tools', run: () => measureSpawnTime([sixtyTools, '--version']), limit: 1.3 },
      { name: 'haft tools --json, 60 tools', run: () => measureSpawnTime([sixtyTools, 'tools', '--json']), limit: 1.6 },
    ],
  })
  report(`Start-up, median of ${ROUND_COUNT} interleaved rounds`, createRatioRows(results, 'ms'))
}

async function benchImports() {
  const results = await interleave({
    rounds: ROUND_COUNT,
    cases: [
      { name: "import 'zod'", run: () => measureImport('zod') },
      { name: "import 'haft'", run: () => measureImport('haft'), limit: 1.6 },
    ],
  })
  report(`CPU time of an import, median of ${ROUND_COUNT} interleaved rounds`, createRatioRows(results, 'ms'))
}

/** Returns the path of the program of a build with sixty tools. */
async function buildWithSixtyTools() {
  const outdir = join(folder, 'dist/cli')
  const features = await readFeatures({ on: ['KAIROS'] })
  const metafile = await bundleCli({ features, outdir, toolsModule: 'bench/lib/sixty-tools.ts' })
  await mergeParts({ metafile, outdir, hasAllTools: false })
  cpSync('bin', join(folder, 'bin'), { recursive: true })
  return join(folder, 'bin/haft')
}

/**
 * Returns the CPU milliseconds of one import in a new process.
 * @param {string} specifier
 */
function measureImport(specifier) {
  const code = `const before = process.cpuUsage(); await import('${specifier}'); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}
