import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const haft = join(here, '../../bin/haft')
const nodeModules = join(here, '../../node_modules')
/** Commits get the same hash in every run. */
const COMMIT_DATE = '2026-01-02T03:04:05Z'
/** As in a container. */
const ALLOW_ALL = ['--permission-mode', 'bypassPermissions']
const MAX_PLAY_MS = 300_000

/**
 * Plays a task with the built command in a new repository. Returns the requests that the model received, without anything that
 * differs between machines and runs.
 * @param {string} name @param {'portable' | 'native'} carrier
 */
export async function playTask(name, carrier) {
  const taskFile = pathToFileURL(join(here, 'tasks', `${name}.mjs`)).href
  /** @type {import('./calls.mjs').EconomyTask} */
  const task = (await import(taskFile)).default
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-economy-')))
  try {
    const repository = await createRepository(folder, task.package)
    const requestsFile = join(folder, 'requests.jsonl')
    const { PATH, TMPDIR } = process.env
    const variables = {
      ...{
        PATH,
        ...(TMPDIR !== undefined && { TMPDIR }),
        HOME: join(folder, 'home'),
        LANG: 'C.UTF-8',
        NO_COLOR: '1',
        HAFT_SANDBOX: '1',
      },
      ...{ ECONOMY_TASK: taskFile, ECONOMY_REQUESTS: requestsFile, ECONOMY_CARRIER: carrier },
    }
    await runCommand(
      [
        '-p',
        task.prompt,
        '--model',
        `scripted:${join(here, 'player.mjs')}`,
        '--trust',
        ...(task.permissions ?? ALLOW_ALL),
      ],
      { cwd: repository, env: variables },
    )
    return parseRequests(await readFile(requestsFile, 'utf8'), folder)
  } finally {
    // Background processes of the command may still write their last files.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** A played session may end with denied calls, so only the exit codes that mean a failure are errors. */
const EXPECTED_EXIT_CODES = [0, 3]

/** @param {readonly string[]} args @param {{ cwd: string, env: NodeJS.ProcessEnv }} options */
async function runCommand(args, options) {
  const child = run(process.execPath, [haft, ...args], { ...options, timeout: MAX_PLAY_MS, maxBuffer: 1 << 26 })
  child.child.stdin?.end()
  await child.catch((error) => {
    if (!EXPECTED_EXIT_CODES.includes(error.code)) throw error
  })
}

/** @param {string} folder @param {string} packageName */
async function createRepository(folder, packageName) {
  const repository = join(folder, packageName)
  await mkdir(join(folder, 'home'))
  // The package finds its dependencies above its repository.
  await symlink(nodeModules, join(folder, 'node_modules'))
  const source = join(nodeModules, packageName)
  await cp(source, repository, {
    recursive: true,
    filter: (path) => !path.slice(source.length).includes('node_modules'),
  })
  const env = {
    ...process.env,
    ...{ GIT_AUTHOR_DATE: COMMIT_DATE, GIT_COMMITTER_DATE: COMMIT_DATE, GIT_CONFIG_GLOBAL: '/dev/null' },
    ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.c' },
  }
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', `Import ${packageName}`],
  ])
    await run('git', args, { cwd: repository, env })
  return repository
}

/** @param {string} text @param {string} folder */
function parseRequests(text, folder) {
  const stable = text
    .replaceAll(folder, '/work')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|seconds?)\b/g, '1 ms')
    .replaceAll(/Node\.js v[\d.]+/g, 'Node.js v1')
    .replaceAll(/\\n +at [^\\]*\((?:node:)[^\\]*\)/g, '')
    .replaceAll(/Date at the start: [\d-]+/g, 'Date at the start: 2026-01-02')
  return stable
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
