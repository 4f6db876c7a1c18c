import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.mjs'

const FETCH_GLOBALS = ['Headers', 'Response', 'Request', 'FormData', 'Blob', 'File', 'ReadableStream']
const SDK = /[\\/]node_modules[\\/](?:@anthropic-ai[\\/]sdk|openai)[\\/].*\.mjs$/
const GLOBAL_NAME = new RegExp(`\\b(?:${FETCH_GLOBALS.join('|')})\\b`)
const GLOBAL_MEMBER = new RegExp(`\\bglobalThis\\.(${FETCH_GLOBALS.join('|')})\\b`, 'g')

/**
 * Replaces the globals of fetch in the SDKs of the providers with small classes of our own: on Node 20 the first access
 * to one of these globals loads the whole implementation of fetch.
 * @returns {import('esbuild').Plugin}
 */
export function createSdkGlobalsPlugin() {
  const classesFile = join(root, 'src/providers/http/sdk-globals.ts')
  return {
    name: 'sdk-globals',
    setup(build) {
      // Only dead code imports this file, but esbuild would still create a part for it.
      build.onResolve({ filter: /agent-toolset[\\/]node\.mjs$/ }, ({ path }) => ({ path, external: true }))
      build.onLoad({ filter: SDK }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (!GLOBAL_NAME.test(source)) return { contents: source, loader: 'js' }
        const names = FETCH_GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(source))
        const imports = `import { ${names.map((name) => `${name} as haft$${name}`).join(', ')} } from ${JSON.stringify(classesFile)};`
        const declarations = names.map((name) => `const ${name} = haft$${name};`).join('')
        return { contents: `${imports}${declarations}\n${source.replace(GLOBAL_MEMBER, 'haft$$$1')}`, loader: 'js' }
      })
    },
  }
}
