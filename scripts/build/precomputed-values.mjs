import { basename, join } from 'node:path'
import { evaluate } from './evaluate.mjs'
import { root } from './root.mjs'

const PRECOMPUTED_MODULES = [
  { file: 'src/cli/commands/tools/tool-manifest.ts', name: 'toolManifest' },
  { file: 'src/cli/tool-session/input-schemas.ts', name: 'inputSchemas' },
]

/**
 * Replaces some modules with their values at build time: the tools can then be listed without
 * loading them, and described to a model without building their schemas.
 * @param {import('esbuild').Plugin[]} plugins the plugins of the bundle, so that both use the same tools
 * @returns {import('esbuild').Plugin}
 */
export function createPrecomputedValuesPlugin(plugins) {
  return {
    name: 'precomputed-values',
    setup(build) {
      for (const { file, name } of PRECOMPUTED_MODULES) {
        const path = join(root, file)
        build.onLoad({ filter: new RegExp(`[\\\\/]${basename(file, '.ts')}\\.ts$`) }, async (module) => {
          if (module.path !== path) return undefined
          const { [name]: value } = await evaluate(path, plugins)
          return { contents: `export const ${name} = ${JSON.stringify(value)}`, loader: 'js' }
        })
      }
    },
  }
}
