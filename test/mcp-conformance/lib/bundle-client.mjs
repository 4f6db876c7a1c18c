import { join } from 'node:path'
import { build } from 'esbuild'
import { conformanceFolder } from './suite.mjs'

/** Bundles the client program with Haft's own code into one file, next to the packages that it uses. */
export async function bundleClient() {
  const outfile = join(conformanceFolder, '..', '..', '.cache', 'mcp-conformance-client.mjs')
  await build({
    entryPoints: [join(conformanceFolder, 'client.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { __HAFT_VERSION__: '"0.0.0"' },
    logLevel: 'error',
  })
  return outfile
}
