import { join } from 'node:path'
import { evaluate } from './evaluate.mjs'
import { root } from './root.mjs'

/**
 * Puts the value of `tool-manifest.ts` in place of its code: listing the tools then loads none of them.
 * @param {import('esbuild').Plugin[]} plugins those of the bundle, so that both see the same tools
 * @returns {import('esbuild').Plugin}
 */
export function manifestPlugin(plugins) {
  return {
    name: 'manifest',
    setup(build) {
      build.onLoad({ filter: /[\\/]tools[\\/]tool-manifest\.ts$/ }, async () => {
        const { toolManifest } = await evaluate(join(root, 'src/cli/commands/tools/tool-manifest.ts'), plugins)
        return { contents: `export const toolManifest = ${JSON.stringify(toolManifest)}`, loader: 'js' }
      })
    },
  }
}
