import { basename, join } from 'node:path'
import { evaluate } from './evaluate.mjs'
import { root } from './root.mjs'

const VALUES = [
  { file: 'src/cli/commands/tools/tool-manifest.ts', name: 'toolManifest' },
  { file: 'src/cli/tool-session/input-schemas.ts', name: 'inputSchemas' },
]

/**
 * Puts the values of some modules in place of their code: listing the tools then loads none of them, and describing
 * them to a model needs no schema.
 * @param {import('esbuild').Plugin[]} plugins those of the bundle, so that both see the same tools
 * @returns {import('esbuild').Plugin}
 */
export function knownValuesPlugin(plugins) {
  return {
    name: 'known-values',
    setup(build) {
      for (const { file, name } of VALUES) {
        const path = join(root, file)
        build.onLoad({ filter: new RegExp(`[\\\\/]${basename(file, '.ts')}\\.ts$`) }, async (found) => {
          if (found.path !== path) return undefined
          const { [name]: value } = await evaluate(path, plugins)
          return { contents: `export const ${name} = ${JSON.stringify(value)}`, loader: 'js' }
        })
      }
    },
  }
}
