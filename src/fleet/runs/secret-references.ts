import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { FleetError } from './run-spec.js'

const COMMAND_TIMEOUT_MS = 30_000

/**
 * Returns a secret by its reference: `env:NAME`, `file:PATH` or `command:PROGRAM ARGUMENT…`. The database stores references only; they are resolved
 * on the machine that needs the secret.
 */
export async function resolveSecret(reference: string): Promise<string> {
  const [, kind, value = ''] = /^(env|file|command):(.+)$/s.exec(reference) ?? []
  if (kind === 'env') {
    const secret = process.env[value]
    if (secret === undefined || secret === '') throw new FleetError('invalid', `The variable ${value} is not set here.`)
    return secret
  }
  if (kind === 'file') return (await readFile(value, 'utf8')).trimEnd()
  if (kind === 'command') {
    const [program = '', ...args] = value.split(' ').filter((word) => word !== '')
    const { stdout } = await promisify(execFile)(program, args, { timeout: COMMAND_TIMEOUT_MS })
    return stdout.trimEnd()
  }
  throw new FleetError('invalid', 'A secret is given by reference: env:NAME, file:PATH or command:PROGRAM.')
}
