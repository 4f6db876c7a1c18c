import { join, resolve } from 'node:path'
import { root } from './root.mjs'

/**
 * Builds with another list of built-in tools, for tests and benches.
 * @param {string} toolsModule
 * @returns {import('esbuild').Plugin}
 */
export function createToolsPlugin(toolsModule) {
  const originalPath = join(root, 'src/tools/index.ts')
  return {
    name: 'tools',
    setup(build) {
      build.onResolve({ filter: /\/tools\/index\.js$/ }, ({ path, resolveDir }) => {
        const target = resolve(resolveDir, path).replace(/\.js$/, '.ts')
        return target === originalPath ? { path: resolve(root, toolsModule) } : undefined
      })
    },
  }
}
