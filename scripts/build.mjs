import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bundleCli } from './build/bundle-cli.mjs'
import { bundleInspector } from './build/bundle-inspector.mjs'
import { bundleLibrary } from './build/bundle-library.mjs'
import { bundleThreads } from './build/bundle-threads.mjs'
import { readFeatures } from './build/features.mjs'
import { mergeParts } from './build/merge-parts.mjs'

/** Builds the package: `node scripts/build.mjs [--with FLAG,…] [--without FLAG,…] [--no-types]`. */
const { values } = parseArgs({
  options: {
    with: { type: 'string', default: '' },
    without: { type: 'string', default: '' },
    types: { type: 'boolean', default: true },
  },
  allowNegative: true,
})

const features = await readFeatures({ on: splitList(values.with), off: splitList(values.without) })

rmSync('dist/lib', { recursive: true, force: true })
rmSync('dist/cli', { recursive: true, force: true })
rmSync('dist/inspector', { recursive: true, force: true })
await Promise.all([
  bundleLibrary({ features, outdir: 'dist/lib' }).then((mainMetafile) =>
    bundleThreads({ outdir: 'dist/lib', mainMetafile }),
  ),
  buildCli(),
  bundleInspector({ outdir: 'dist/inspector' }),
])
if (values.types) declareTypes()

async function buildCli() {
  const metafile = await bundleCli({ features, outdir: 'dist/cli' })
  await mergeParts({ metafile, outdir: 'dist/cli' })
  await bundleThreads({ outdir: 'dist/cli', mainMetafile: metafile })
}

/** @param {string} text */
function splitList(text) {
  return text.split(',').filter((part) => part !== '')
}

function declareTypes() {
  rmSync('dist/types', { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
