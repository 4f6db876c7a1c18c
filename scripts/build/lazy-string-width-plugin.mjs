import { readFile } from 'node:fs/promises'

const DEFAULT_EXPORT = 'export default function stringWidth('

/**
 * Evaluates the package string-width at its first call, not when it is loaded: its segmenter and its regular expressions for
 * emoji take longer than drawing the first prompt, which needs none of them.
 * @returns {import('esbuild').Plugin}
 */
export function createLazyStringWidthPlugin() {
  return {
    name: 'lazy-string-width',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]string-width[\\/]index\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        const imports = source.match(/^import .*$/gm) ?? []
        const body = source.replace(/^import .*$/gm, '').replace(DEFAULT_EXPORT, 'return function stringWidth(')
        if (imports.length === 0 || !source.includes(DEFAULT_EXPORT) || /^export /m.test(body))
          throw new Error(
            `${path}: unexpected source of string-width. Adapt lazy-string-width-plugin.mjs to this version.`,
          )
        const contents = `${imports.join('\n')}
let measure
export default function stringWidth(text, options) {
  measure ??= create()
  return measure(text, options)
}
function create() {
${body}
}
`
        return { contents, loader: 'js' }
      })
    },
  }
}
