import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findServerPrograms } from '../../src/fleet/database/local-server.js'

const run = promisify(execFile)

/** A PostgreSQL server in a temporary folder, which listens on a socket only. */
export interface TestPostgres {
  /** The folder of the socket. */
  readonly folder: string
  createDatabase(): Promise<string>
  restart(mode?: 'fast' | 'immediate'): Promise<void>
  stop(): Promise<void>
}

/** Whether tests can start a server here. */
export function hasPostgres(): boolean {
  try {
    return existsSync(join(findServerPrograms(), 'initdb'))
  } catch {
    return false
  }
}

/** Starts a server as an unprivileged user: PostgreSQL refuses to run as root. */
export async function startPostgres({ port }: { readonly port?: number } = {}): Promise<TestPostgres> {
  const programs = findServerPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'haft-pg-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const owner = process.getuid?.() === 0 ? await findOwner() : undefined
  if (owner !== undefined) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  const call = (program: string, args: readonly string[]) => {
    const command = [join(programs, program), ...args]
    const [file = '', ...others] =
      owner === undefined
        ? command
        : ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', ...command]
    return run(file, others, { cwd: folder })
  }
  await call('initdb', ['-D', data, '-A', 'trust', '-U', 'haft', '-E', 'UTF8', '--no-sync'])
  if (port !== undefined) appendFileSync(join(data, 'pg_hba.conf'), 'host all all 10.0.0.0/8 trust\n')
  const network = port === undefined ? "-c listen_addresses=''" : `-c listen_addresses='*' -p ${port}`
  const options = `${network} -c unix_socket_directories='${folder}' -c max_connections=300`
  const start = () => call('pg_ctl', ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options])
  const stop = (mode: string) => call('pg_ctl', ['stop', '-w', '-D', data, '-m', mode])
  await start()
  const query = port === undefined ? '' : `&port=${port}`
  const urlOf = (name: string) => `postgresql://haft@localhost/${name}?host=${encodeURIComponent(folder)}${query}`
  let count = 0
  return {
    folder,
    async createDatabase() {
      const name = `test${++count}`
      const portArguments = port === undefined ? [] : ['-p', String(port)]
      await run(join(programs, 'createdb'), ['-h', folder, '-U', 'haft', ...portArguments, name])
      return urlOf(name)
    },
    async restart(mode = 'fast') {
      await stop(mode)
      await start()
    },
    async stop() {
      await stop('immediate').catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function findOwner(): Promise<{ readonly uid: number; readonly gid: number }> {
  const read = async (option: string) => Number((await run('id', [option, 'postgres'])).stdout)
  return { uid: await read('-u'), gid: await read('-g') }
}
