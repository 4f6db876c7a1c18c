import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Runs every example against the built package, as a user's program would run. */
// The folder is inside the package and outside node_modules, so that `haft` resolves to this package.
const outdir = '.cache/examples'
rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })

const names = readdirSync('examples').filter((name) => name.endsWith('.ts'))
let failedCount = 0
for (const name of names) {
  const outfile = join(outdir, name.replace(/\.ts$/, '.mjs'))
  await build({
    entryPoints: [join('examples', name)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  console.log(`\n== ${name}`)
  const { status } = spawnSync(process.execPath, [outfile], { stdio: 'inherit' })
  if (status !== 0) failedCount++
}
console.log(`\n${names.length - failedCount} examples passed, ${failedCount} failed`)
process.exitCode = failedCount === 0 ? 0 : 1
