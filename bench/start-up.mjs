import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { interleave } from './lib/interleave.mjs'
import { ratioRows, report } from './lib/report.mjs'
import { spawnTime } from './lib/spawn-time.mjs'

/** How long commands take from start to end, against Node doing nothing; once more with some sixty tools registered. */
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  await bundleCli({
    features: await readFeatures({ on: ['KAIROS'] }),
    outdir: folder,
    toolsModule: 'bench/lib/sixty-tools.ts',
  })
  const many = join(folder, 'main.js')
  const results = await interleave({
    rounds: 21,
    cases: [
      { name: 'node -e 0', run: () => spawnTime(['-e', '0']) },
      { name: 'haft --version', run: () => spawnTime(['bin/haft', '--version']), limit: 1.35 },
      { name: 'haft tools --json', run: () => spawnTime(['bin/haft', 'tools', '--json']), limit: 2 },
      { name: 'haft --version, 60 tools', run: () => spawnTime([many, '--version']), limit: 1.35 },
      { name: 'haft tools --json, 60 tools', run: () => spawnTime([many, 'tools', '--json']), limit: 2 },
    ],
  })
  report('Start-up, median of 21 interleaved rounds', ratioRows(results, 'ms'))

  const imports = await interleave({
    rounds: 21,
    cases: [
      { name: "import 'zod'", run: () => importCost('zod') },
      { name: "import 'haft'", run: () => importCost('haft'), limit: 1.8 },
    ],
  })
  report('CPU time of an import', ratioRows(imports, 'ms'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * CPU milliseconds that a fresh process spends in one import.
 * @param {string} specifier
 */
function importCost(specifier) {
  const code = `const before = process.cpuUsage(); await import('${specifier}'); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}
