import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** @type {{ name: string, version: string, dependencies: object, optionalDependencies: object }} */
export const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
