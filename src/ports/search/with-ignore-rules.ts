import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Hands ripgrep rules that count less than those of any ignore file it finds: a help for speed, never more. */
export async function withIgnoreRules<T>(rules: string, use: (args: readonly string[]) => Promise<T>): Promise<T> {
  if (rules === '') return use([])
  const file = join(tmpdir(), `haft-ignore-${randomBytes(8).toString('hex')}`)
  try {
    await writeFile(file, rules, { flag: 'wx', mode: 0o600 })
    return await use([`--ignore-file=${file}`])
  } finally {
    await rm(file, { force: true })
  }
}
