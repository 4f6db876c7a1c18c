import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from './evaluate.mjs'
import { root } from './root.mjs'

/** @typedef {Readonly<Record<string, boolean>>} Features */

/**
 * Reads the build flags and their defaults, with some of them switched on or off.
 * @param {{ on?: readonly string[], off?: readonly string[] }} [changes]
 * @returns {Promise<Features>}
 */
export async function readFeatures({ on = [], off = [] } = {}) {
  const { BUILD_FLAGS } = await evaluate(join(root, 'src/contract/build-flags.ts'))
  const features = Object.fromEntries(Object.entries(BUILD_FLAGS).map(([name, flag]) => [name, flag.default]))
  for (const name of [...on, ...off]) {
    if (!(name in features))
      throw new Error(`Unknown build flag ${name}. Available: ${Object.keys(features).join(', ')}.`)
    features[name] = on.includes(name)
  }
  return features
}

/**
 * Replaces every `feature('NAME')` with `true` or `false`, so that disabled code is dead and not part of the bundle.
 * @param {Features} features
 * @returns {import('esbuild').Plugin}
 */
export function createFeaturePlugin(features) {
  return {
    name: 'features',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        const contents = source.replace(/\bfeature\('([A-Z_]+)'\)/g, (_, name) => {
          if (!(name in features)) throw new Error(`${path}: unknown build flag ${name}.`)
          return String(features[name])
        })
        return { contents, loader: 'ts' }
      })
    },
  }
}
